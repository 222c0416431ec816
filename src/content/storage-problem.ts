/**
 * Returns the first value of an entry's data that Astro cannot save, and why; undefined when it can save all. Astro saves
 * plain objects, lists, dates, maps, sets, regular expressions, URLs and typed arrays, and fails for the whole store where there is another.
 */
export function storageProblem(
  value: unknown,
  path: readonly (string | number)[] = [],
): { field: string; reason: string } | undefined {
  const field = path.join('.');
  const problem = (what: string) => ({
    field,
    reason: `the collection's schema made ${what} of it, which Astro cannot save`,
  });
  if (typeof value === 'function' || typeof value === 'symbol') return problem(`a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Date || value instanceof RegExp || value instanceof URL) return undefined;
  if (ArrayBuffer.isView(value)) return undefined;
  if (value instanceof Map || value instanceof Set) return firstProblem([...value].entries());
  if (Array.isArray(value)) return firstProblem(value.entries());
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? firstProblem(Object.entries(value)) : problem(`a ${value.constructor.name}`);

  function firstProblem(parts: Iterable<[string | number, unknown]>) {
    for (const [key, part] of parts) {
      const found = storageProblem(part, [...path, key]);
      if (found) return found;
    }
    return undefined;
  }
}
