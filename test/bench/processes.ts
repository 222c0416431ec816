import { type ChildProcess, type ForkOptions, fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a process ended, and what it took. */
export interface Run {
  status: number | null;
  /** Standard output and error together. */
  output: string;
  /** Milliseconds from its start to its end. */
  wall: number;
  /** Bytes of memory at most; undefined when it was killed. */
  peak: number | undefined;
}

/** A process that is told things while it runs. */
export interface Helper<Told, Reply> {
  ask(told: Told): Promise<Reply>;
  stop(): void;
}

const peakMemory = new URL('programs/peak.ts', import.meta.url).href;
const longest = 3_600_000;
const running = new Set<ChildProcess>();

/** Runs a Node program to its end. */
export async function run(
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', peakMemory, ...args], {
    cwd,
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: longest,
  });
  remember(child);
  const printed: string[] = [];
  const peak: string[] = [];
  const [, out, err, memory] = child.stdio;
  out?.on('data', (data) => printed.push(String(data)));
  err?.on('data', (data) => printed.push(String(data)));
  memory?.on('data', (data) => peak.push(String(data)));
  const status = await ended(child);
  const kibibytes = Number(peak.join(''));
  return {
    status,
    output: printed.join(''),
    wall: performance.now() - started,
    peak: kibibytes > 0 ? kibibytes * 1024 : undefined,
  };
}

/** Runs one of the bench's own programs in a process of its own; its last line is what it found. */
export async function runProgram<Found>(name: string, given: object): Promise<Found> {
  const { status, output } = await run([program(name), JSON.stringify(given)]);
  if (status !== 0) throw new Error(lastLines(output));
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
}

/** Starts one of the bench's own programs, which says when it is ready, and answers what it is told. */
export async function startProgram<Ready, Told extends object, Reply>(
  name: string,
  given: object,
): Promise<{ ready: Ready; helper: Helper<Told, Reply> }> {
  const options: ForkOptions = { env: inherited(), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] };
  const child = fork(program(name), [JSON.stringify(given)], options);
  remember(child);
  const answers: ((answer: unknown) => void)[] = [];
  child.on('message', (answer) => answers.shift()?.(answer));
  const gone = ended(child).then((status): never => {
    throw new Error(`${name} ended with exit code ${status}`);
  });
  gone.catch(() => undefined);
  const next = <T>() =>
    Promise.race([new Promise<T>((resolve) => answers.push(resolve as never)), gone]);
  return {
    ready: await next<Ready>(),
    helper: {
      ask(told) {
        const reply = next<Reply>();
        child.send(told);
        return reply;
      },
      stop: () => void child.kill(),
    },
  };
}

/** Ends every process that was started here and still runs. */
export function endAll(): void {
  for (const child of running) child.kill();
}

/** The last lines that a program printed, in one. */
export function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).slice(-4).join(' / ').slice(-400);
}

function program(name: string): string {
  return fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url));
}

/** Nothing of npm, nor of the articles of whoever runs the bench. */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ASTRO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' };
}

function remember(child: ChildProcess): void {
  running.add(child);
  child.on('close', () => running.delete(child));
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve(status));
  });
}
