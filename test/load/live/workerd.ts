import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const binary = createRequire(import.meta.url)('workerd').default;

export interface Workerd {
  url: string;
  /** The output of the process. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Runs a worker in Cloudflare's runtime, without Node's modules, on a free port of loopback. It can only
 * request loopback addresses.
 */
export async function startWorkerd(
  script: string,
  bindings: Record<string, string>,
): Promise<Workerd> {
  const folder = await mkdtemp(join(tmpdir(), 'workerd-'));
  await writeFile(join(folder, 'worker.js'), script);
  await writeFile(join(folder, 'config.capnp'), configOf(bindings));
  const child = spawn(binary, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => printed.push(String(data)));
  }
  const output = () => printed.join('');
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    (child.stdio[3] as Readable).on('data', (data) => {
      const port = /"port":(\d+)/.exec(String(data))?.[1];
      if (port) resolve(Number(port));
    });
    ended.then(() => reject(new Error(`workerd ended:\n${output()}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    output,
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

function configOf(bindings: Record<string, string>): string {
  const listed = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "main", worker = .worker),
        (name = "internet", network = (allow = ["local"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );
    const worker :Workerd.Worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-07-01",
      bindings = [${listed.join(', ')}],
    );`;
}
