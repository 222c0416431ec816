/** In characters. Shorter values of variables are no secrets, and parts of other words. */
const minValueLength = 4;

/** Copies settings without the values of variables, which a plugin may get as an option. */
export function withoutValues(settings: unknown, values: readonly string[]): unknown {
  const removed = values.filter(({ length }) => length >= minValueLength);
  removed.sort((a, b) => b.length - a.length);
  const copies = new Map<unknown, unknown>();

  function textOf(text: string): string {
    return removed.reduce((rest, value) => rest.replaceAll(value, ''), text);
  }

  function copyOf(value: unknown): unknown {
    if (typeof value === 'string') return textOf(value);
    if (!hasParts(value)) return value;
    if (copies.has(value)) return copies.get(value);
    const copy: [name: string, ...parts: unknown[]] = [Object(value).constructor?.name];
    copies.set(value, copy);
    if (typeof value === 'function') copy.push(value.name);
    for (const part of partsOf(value))
      copy.push(Array.isArray(part) ? part.map(copyOf) : copyOf(part));
    return copy;
  }

  return copyOf(settings);
}

function partsOf(value: unknown): Iterable<unknown> {
  return value instanceof Map || value instanceof Set ? value : Object.entries(Object(value));
}

function hasParts(value: unknown): boolean {
  return Object(value) === value && !(value instanceof RegExp) && !(value instanceof URL);
}
