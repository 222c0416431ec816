import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** Node compiles the modules of `src` once for all of these processes. */
const NODE_COMPILE_CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/node', import.meta.url),
);

export interface Ran {
  status: number | null;
  out: string;
  err: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
}

/** Starts the command line in its own environment. */
export function start(args: string[], { env = {}, cwd = tmpdir() }: RunOptions = {}) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // It ends a server that should not have started.
    timeout: 120_000,
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (data) => {
    printed.out += data;
  });
  child.stderr.on('data', (data) => {
    printed.err += data;
  });
  const ended = new Promise<Ran>((resolve) =>
    child.on('close', (status) => resolve({ status, ...printed })),
  );
  return { child, printed, ended };
}

/** Runs the command line, and checks that the key is not in its output. */
export async function run(args: string[], options: RunOptions = {}): Promise<Ran> {
  const ran = await start(args, options).ended;
  const key = options.env?.ARTICLES_API_KEY;
  if (key) expect(ran.out + ran.err).not.toContain(key);
  return ran;
}

/** Replaces ports and times. */
export function plain(text: string): string {
  return text
    .replaceAll(/((?:127\.0\.0\.1|localhost):|--port |Port )[1-9]\d+/g, '$1PORT')
    .replaceAll(/\d+\.\d s/g, 'N s');
}
