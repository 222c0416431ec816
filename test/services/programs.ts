import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { arch, env as environment } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listen } from '../../fixtures/listen.ts';

interface Where {
  cwd: string;
  env?: Record<string, string>;
}

// Debian has servers in folders that the path of an ordinary user may lack.
const path = [environment.PATH, '/usr/sbin', '/sbin'].join(delimiter);
/** The Node that all of the servers of npm support. */
const node = { [`node-linux-${arch}`]: '22.23.3' };
/** What compiles SQLite for a server, by program: the package of Debian that has it. */
export const compilers = { 'g++': 'build-essential', make: 'build-essential', python3: 'python3' };
/** How long a server may take to start, in ms. At its first start, it creates its tables. */
const startLimit = 240_000;
const running = new Map<ChildProcess, Promise<unknown>>();

/** Returns a message for each program that is missing, with the package of Debian that has it. */
export function missingPrograms(programs: Record<string, string>): string[] {
  const folders = path.split(delimiter);
  const isInstalled = (name: string) =>
    name.startsWith('/')
      ? existsSync(name)
      : folders.some((folder) => isProgram(join(folder, name)));
  return Object.entries(programs).flatMap(([name, from]) =>
    isInstalled(name) ? [] : [`${name} is missing: apt-get install ${from}`],
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a command to its end, and returns what it printed. */
export async function run(command: string, args: string[], { cwd, env }: Where): Promise<string> {
  const options = { cwd, env: { ...environment, PATH: path, ...env }, maxBuffer: 1e8 };
  const { stdout } = await promisify(execFile)(command, args, options);
  return stdout;
}

/**
 * Starts a server in a process group of its own, and waits until `isReady` returns `true`.
 *
 * @throws with the last lines of its output if it ends before, or takes too long
 */
export async function start(
  command: string,
  args: string[],
  { cwd, env, isReady }: Where & { isReady: () => Promise<boolean> },
): Promise<void> {
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, PATH: path, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      output = `${output}${data}`.slice(-4000);
    });
  }
  let isRunning = true;
  const ended = once(child, 'close').finally(() => {
    isRunning = false;
    running.delete(child);
  });
  ended.catch(() => undefined);
  running.set(child, ended);
  const deadline = Date.now() + startLimit;
  while (!(await isReady().catch(() => false))) {
    if (!isRunning) throw new Error(`${command} ended:\n${output}`);
    if (Date.now() > deadline) throw new Error(`${command} did not start in time:\n${output}`);
    await sleep(250);
  }
}

/** Ends all servers that this process has started. */
export async function stopAll(): Promise<void> {
  const ends = [...running].map(async ([child, ended]) => {
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), 10_000);
    await ended.catch(() => undefined);
    clearTimeout(timer);
  });
  await Promise.all(ends);
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** Returns whether a request for a URL is successful. */
export async function responds(url: string): Promise<boolean> {
  const { ok } = await fetch(url);
  return ok;
}

/** Returns a port of loopback that no program uses. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer(), { port: 0, host: '127.0.0.1' });
  await close();
  return port;
}

/**
 * Installs packages of npm into a folder, and a version of Node that they support. Compiles the package `compiled`,
 * and runs no other scripts. Packages that are there already are not installed again.
 */
export async function installPackages(
  folder: string,
  dependencies: Record<string, string>,
  compiled?: string,
): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'package.json');
  const home = join(folder, 'node_modules', ...Object.keys(node));
  const env = { PATH: [join(home, 'bin'), path].join(delimiter), npm_config_nodedir: home };
  const manifest = JSON.stringify({
    name: 'articles',
    version: '1.0.0',
    private: true,
    dependencies: { ...dependencies, ...node },
    ...(compiled && { allowScripts: { [compiled]: true } }),
  });
  const installed = join(folder, '.installed');
  if ((await readFile(installed, 'utf8').catch(() => '')) === manifest) return env;
  await writeFile(file, manifest);
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quiet], { cwd: folder });
  if (compiled) await run('npm', ['rebuild', compiled], { cwd: folder, env });
  await writeFile(installed, manifest);
  return env;
}
