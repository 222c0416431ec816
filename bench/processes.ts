import { type ChildProcess, type ForkOptions, fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The result of a process. */
export interface Run {
  status: number | null;
  /** Standard output and error together. */
  output: string;
  /** Milliseconds from start to end. */
  wall: number;
  /** Peak memory in bytes; undefined if the process was killed. */
  peak: number | undefined;
  /** Milliseconds of CPU of the whole process; NaN if it was killed. */
  wholeCpu: number;
}

/** A running program that accepts commands. */
export interface ChildProgram<Command, Reply> {
  send(command: Command): Promise<Reply>;
  stop(): void;
}

const peakMemory = new URL('programs/peak.ts', import.meta.url).href;
const timeout = 3_600_000;
const running = new Set<ChildProcess>();

/** Runs a Node program to its end. */
export async function run(
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', peakMemory, ...args], {
    cwd,
    env: { ...minimalEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout,
  });
  remember(child);
  const printed: string[] = [];
  const peak: string[] = [];
  const [, out, err, memory] = child.stdio;
  out?.on('data', (data) => printed.push(String(data)));
  err?.on('data', (data) => printed.push(String(data)));
  memory?.on('data', (data) => peak.push(String(data)));
  const status = await ended(child);
  const [kibibytes = 0, microseconds] = peak.join('').split(' ').map(Number);
  return {
    status,
    output: printed.join(''),
    wall: performance.now() - started,
    peak: kibibytes > 0 ? kibibytes * 1024 : undefined,
    wholeCpu: (microseconds ?? Number.NaN) / 1000,
  };
}

/** Runs a program of `programs/` to its end, and returns the JSON of its last line. */
export async function runProgram<Result>(name: string, options: object): Promise<Result> {
  const { status, output } = await run([programPath(name), JSON.stringify(options)]);
  if (status !== 0) throw new Error(lastLines(output));
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
}

/** Starts a program of `programs/`, and waits for its first message. */
export async function startProgram<Ready, Command extends object, Reply>(
  name: string,
  options: object,
): Promise<{ ready: Ready; program: ChildProgram<Command, Reply> }> {
  const forkOptions: ForkOptions = {
    env: minimalEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  };
  const child = fork(programPath(name), [JSON.stringify(options)], forkOptions);
  remember(child);
  const waiting: ((message: unknown) => void)[] = [];
  child.on('message', (message) => waiting.shift()?.(message));
  const gone = ended(child).then((status): never => {
    throw new Error(`${name} ended with exit code ${status}`);
  });
  gone.catch(() => undefined);
  const nextMessage = <T>() =>
    Promise.race([new Promise<T>((resolve) => waiting.push(resolve as never)), gone]);
  return {
    ready: await nextMessage<Ready>(),
    program: {
      send(command) {
        const reply = nextMessage<Reply>();
        child.send(command);
        return reply;
      },
      stop: () => void child.kill(),
    },
  };
}

/** Stops every process that was started here and still runs. */
export function stopAll(): void {
  for (const child of running) child.kill();
}

/** The last lines of an output, joined into one. */
export function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).slice(-4).join(' / ').slice(-400);
}

function programPath(name: string): string {
  return fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url));
}

/** Without the variables of npm, and without `ARTICLES_*` of the caller. */
function minimalEnvironment(): Record<string, string> {
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
