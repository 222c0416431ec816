const maxDepth = 64;
const poison = new Set(['__proto__', 'constructor', 'prototype']);

/** Why a text could not be read as JSON, without a word of the text itself. */
export class JsonFault extends Error {
  readonly kind: 'syntax' | 'depth';

  constructor(kind: 'syntax' | 'depth', message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Parses JSON that came from outside. Integer `id`s beyond 2^53 become bigint, so that no two of
 * them fall together; keys that could reach a prototype are dropped.
 *
 * @throws {JsonFault} with the place of a syntax error, never the text: V8's own message quotes it.
 */
export function parseJson(text: string): unknown {
  const value = parse(text);
  cleanse(value);
  return value;
}

function parse(text: string): unknown {
  try {
    // The exact parse is five times slower, and only long digit runs need it.
    return /\d{16}/.test(text) ? JSON.parse(text, exactId as Reviver) : JSON.parse(text);
  } catch (error) {
    const place = /position (\d+)/.exec(String(error))?.[1];
    const where = place
      ? `at character ${place} of ${text.length}`
      : `after ${text.length} characters`;
    throw new JsonFault('syntax', `it is no JSON ${where}`);
  }
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function exactId(
  this: unknown,
  key: string,
  value: unknown,
  context: { source?: string },
): unknown {
  const exact = key === 'id' && typeof value === 'number' && !Number.isSafeInteger(value);
  return exact && context.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

/** Walks without recursion: a body of a hundred thousand brackets must not overflow the stack. */
function cleanse(root: unknown): void {
  let level: object[] = isObject(root) ? [root] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) {
      throw new JsonFault('depth', `it is nested deeper than ${maxDepth} levels`);
    }
    const next: object[] = [];
    for (const holder of level) {
      for (const key of Object.keys(holder)) {
        if (poison.has(key)) Reflect.deleteProperty(holder, key);
        else {
          const value: unknown = Reflect.get(holder, key);
          if (isObject(value)) next.push(value);
        }
      }
    }
    level = next;
  }
}

/** Narrows to something with keys: an object or an array. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
