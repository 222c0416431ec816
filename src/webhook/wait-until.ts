export type WaitUntil = (task: Promise<unknown>) => void;

/** The paths, below what a handler is called with, where hosts and adapters keep `waitUntil()`. */
const paths = [
  [],
  ['locals', 'cfContext'],
  ['locals', 'netlify', 'context'],
  ['locals', 'runtime', 'ctx'],
] as const;

/** Finds the host's function that lets work continue after the response. */
export function waitUntilOf(values: readonly unknown[]): WaitUntil | undefined {
  for (const value of values) {
    for (const path of paths) {
      const holder = path.reduce<unknown>(read, value);
      const waitUntil = read(holder, 'waitUntil');
      if (typeof waitUntil === 'function') return (task) => void waitUntil.call(holder, task);
    }
  }
  return undefined;
}

/** Getters of fields that an adapter has removed throw. */
function read(value: unknown, name: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
}
