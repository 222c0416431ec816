import type * as fs from 'node:fs';

/** One call of `node:fs`, as `name path`. */
export interface FileCall {
  name: string;
  path: string;
}

/** Decides what a call does instead of its work; undefined lets it through. */
export type FileFault = (
  call: FileCall,
  place: number,
) => 'kill' | NodeJS.ErrnoException | undefined;

/** The calls since the last reset, and what happens to them. */
export const fileFaults: { calls: FileCall[]; fault: FileFault | undefined } = {
  calls: [],
  fault: undefined,
};

/** Runs something while file operations fail, and returns the calls that it made. */
export async function withFaults(
  fault: FileFault | undefined,
  run: () => Promise<unknown>,
): Promise<{ calls: FileCall[]; error: unknown }> {
  fileFaults.calls = [];
  fileFaults.fault = fault;
  try {
    const error = await run().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { calls: fileFaults.calls, error };
  } finally {
    fileFaults.fault = undefined;
  }
}

export function errorWith(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Wraps the synchronous functions of `node:fs`, for `vi.mock('node:fs', …)`. */
export function faultyFs(real: typeof fs): object {
  const wrapped: Record<string, unknown> = { ...real };
  for (const [name, value] of Object.entries(wrapped)) {
    if (!name.endsWith('Sync') || typeof value !== 'function') continue;
    wrapped[name] = wrap(name, (args) => Reflect.apply(value, undefined, args));
  }
  return wrapped;
}

function wrap(name: string, real: (args: unknown[]) => unknown) {
  return (...args: unknown[]) => {
    const call = { name, path: String(args[0]) };
    const place = fileFaults.calls.push(call) - 1;
    const fault = fileFaults.fault?.(call, place);
    if (fault === 'kill') {
      // A process that is killed while it writes leaves a part of the bytes.
      if (/^write/.test(name)) real(halved(name, args));
      fileFaults.fault = () => errorWith('KILLED');
      throw errorWith('KILLED');
    }
    if (fault) throw fault;
    return real(args);
  };
}

function halved(name: string, [target, bytes, ...rest]: unknown[]): unknown[] {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const part = Buffer.isBuffer(all) ? all.subarray(0, all.length / 2) : all;
  return name === 'writeSync' ? [target, part] : [target, part, ...rest];
}
