import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve, sep } from 'node:path';

/** A call of `node:fs` for a file or folder below the watched folder. */
export interface FileOperation {
  /** The number of the call, counted from 0. */
  index: number;
  /** The function of `node:fs` that was called. */
  name: string;
  path: string;
  /** Whether what it writes is on the disk before it returns. */
  isFlushed: boolean;
}

/**
 * The effect on an operation. `fail`: it fails with that code and changes nothing. `kill`: neither it nor
 * any later operation changes anything, as if the process was killed; with `torn`, half of the current write
 * is on disk.
 */
export type Intervention = { kind: 'fail'; code: string } | { kind: 'kill'; torn: boolean };

export interface FileFaults {
  /** All operations so far. */
  operations: FileOperation[];
  /** Restores the functions of `node:fs`. */
  stop(): void;
}

export interface FileFaultOptions {
  /** Called before each operation. Its own operations are not watched. */
  before?: ((operation: FileOperation) => Intervention | undefined) | undefined;
}

/** Records all synchronous operations on files below a folder, and can make them fail. */
export function watchFiles(folder: string, options: FileFaultOptions): FileFaults {
  const operations: FileOperation[] = [];
  /** The paths of open files, by descriptor. */
  const openFiles = new Map<unknown, string>();
  const restore: (() => void)[] = [];
  let isDead = false;

  function begin(name: string, path: string, options?: unknown): FileOperation {
    const isFlushed = Object(options).flush === true;
    const operation = { index: operations.length, name, path, isFlushed };
    operations.push(operation);
    return operation;
  }

  /** Throws what an operation fails with. `tear` writes the first half of what it would write. */
  function intervene(operation: FileOperation, tear?: () => void): void {
    if (isDead) throw systemError('EIO', operation);
    const intervention = unwatched(() => options.before?.(operation));
    if (!intervention) return;
    if (intervention.kind === 'fail') throw systemError(intervention.code, operation);
    isDead = true;
    if (intervention.torn && tear) unwatched(tear);
    throw systemError('EIO', operation);
  }

  function replace(name: string, make: (original: Callable) => Callable): void {
    const original: Callable = Reflect.get(fs, name);
    Reflect.set(fs, name, make(original));
    restore.push(() => Reflect.set(fs, name, original));
  }

  const isWatched = (path: unknown): path is string =>
    typeof path === 'string' && `${resolve(path)}${sep}`.startsWith(folder + sep);
  const watchedPath = (args: unknown[]) => args.slice(0, 2).find(isWatched);

  // Node's `writeFileSync` calls `openSync`, and so on: only the outer call is an operation.
  let isWatching = true;
  function unwatched<T>(action: () => T): T {
    isWatching = false;
    try {
      return action();
    } finally {
      isWatching = true;
    }
  }
  for (const name of synchronous) {
    replace(name, (original) => (...args) => {
      const path = isWatching ? watchedPath(args) : undefined;
      if (path === undefined) return original(...args);
      const operation = begin(name, path, args[2]);
      intervene(operation, () => tear(name, args));
      const result = unwatched(() => original(...args));
      if (name === 'openSync') openFiles.set(result, path);
      return result;
    });
  }
  for (const name of ofDescriptors) {
    replace(name, (original) => (...args) => {
      const path = isWatching ? openFiles.get(args[0]) : undefined;
      if (path === undefined) return original(...args);
      const operation = begin(name, path);
      // The process keeps running: it must not run out of open files.
      if (name === 'closeSync') {
        original(...args);
        openFiles.delete(args[0]);
      }
      intervene(operation);
      return name === 'closeSync' ? undefined : original(...args);
    });
  }

  syncBuiltinESMExports();
  return {
    operations,
    stop() {
      for (const each of restore) each();
      syncBuiltinESMExports();
    },
  };
}

/** Lets writes return before they are on the disk, so that many of them are fast. Returns a function that ends this. */
export function skipFlush(): () => void {
  const original: Callable = fs.writeFileSync as Callable;
  Reflect.set(fs, 'writeFileSync', (path: unknown, data: unknown, options: object) =>
    original(path, data, { ...options, flush: false }),
  );
  syncBuiltinESMExports();
  return () => {
    Reflect.set(fs, 'writeFileSync', original);
    syncBuiltinESMExports();
  };
}

type Callable = (...args: unknown[]) => unknown;

/** Those that the mirror uses, and some more: it uses nothing of `node:fs/promises`. */
const synchronous = [
  'appendFileSync',
  'copyFileSync',
  'lstatSync',
  'mkdirSync',
  'openSync',
  'readFileSync',
  'readdirSync',
  'renameSync',
  'rmSync',
  'statSync',
  'truncateSync',
  'unlinkSync',
  'utimesSync',
  'writeFileSync',
];
const ofDescriptors = [
  'closeSync',
  'fstatSync',
  'fsyncSync',
  'ftruncateSync',
  'readSync',
  'writeSync',
];
const writeWhole = fs.writeFileSync;

/** Writes the part of a file that a process leaves when it is killed during the write. */
function tear(name: string, [path, data]: unknown[]): void {
  if (!name.startsWith('writeFile')) return;
  const bytes = Buffer.from(data as string | Uint8Array);
  writeWhole(path as string, bytes.subarray(0, bytes.length / 2));
}

function systemError(code: string, { name, path }: FileOperation): Error {
  const message = `${code}: injected, ${name} '${path}'`;
  return Object.assign(new Error(message), { code, syscall: name, path, errno: -1 });
}
