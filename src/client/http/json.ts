import { decodeText } from './body.ts';

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
 * @param outer how many levels are around the text, where it is a part of a larger one
 * @throws {JsonFault} with the place of a syntax error, never the text: V8's own message quotes it.
 */
export function parseJson(text: string, outer = 0): unknown {
  const value = parse(text);
  if (cleanse(value, outer).areIdsExact) return value;
  // Several times slower, so only where it is needed.
  const exact = parse(text, exactId as Reviver);
  cleanse(exact, outer);
  return exact;
}

/** Reads a body as one JSON value. */
export function asJson<T>(decode: (value: unknown) => T): (body: Uint8Array) => T {
  return (body) => decode(parseJson(decodeText(body)));
}

function parse(text: string, reviver?: Reviver): unknown {
  try {
    return JSON.parse(text, reviver);
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
  const { source = '' } = context;
  return isInexact(key, value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function isInexact(key: string, value: unknown): boolean {
  return key === 'id' && typeof value === 'number' && !Number.isSafeInteger(value);
}

/** Walks without recursion: a body of a hundred thousand brackets must not overflow the stack. */
function cleanse(root: unknown, outer: number): { areIdsExact: boolean } {
  let areIdsExact = true;
  let level: object[] = isObject(root) ? [root] : [];
  for (let depth = outer + 1; level.length > 0; depth++) {
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
          else if (isInexact(key, value)) areIdsExact = false;
        }
      }
    }
    level = next;
  }
  return { areIdsExact };
}

/** Narrows to something with keys: an object or an array. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
