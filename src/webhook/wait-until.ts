/** The paths of `waitUntil()` in the arguments with which hosts and Astro's adapters call a handler. */
const paths = [[], ['locals', 'cfContext'], ['locals', 'netlify', 'context']] as const;

/** Finds the host's function that lets work continue after the response; undefined when it has none. */
export function waitUntilOf(
  values: readonly unknown[],
): ((task: Promise<unknown>) => void) | undefined {
  const holders = values.flatMap((value) => paths.map((path) => path.reduce(read, value)));
  for (const holder of holders) {
    const waitUntil = read(holder, 'waitUntil');
    if (typeof waitUntil === 'function') return (task) => void waitUntil.call(holder, task);
  }
  return undefined;
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
