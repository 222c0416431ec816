import { FailureError } from './failure.ts';

const maxDepth = 64;
const unsafeKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** The mark that a decoder puts where bytes are not valid UTF-8. */
export const replacement = '\uFFFD';

/** A body as JSON. */
export interface JsonBody {
  value: unknown;
  /** Whether all bytes were valid UTF-8. Others are replaced by U+FFFD. */
  isUtf8: boolean;
}

/**
 * Parses a body as JSON. Integer `id`s beyond 2^53 become bigint, so that different ids stay different.
 *
 * @throws {FailureError} which never quotes the body. V8's own message does.
 */
export function parseBody(body: Uint8Array, headers: Headers): JsonBody {
  const text = new TextDecoder().decode(body);
  const isUtf8 = !text.includes(replacement) || isValidUtf8(body);
  try {
    return { value: parse(text), isUtf8 };
  } catch {
    throw syntaxFailure(text, { isUtf8, contentType: headers.get('content-type') });
  }
}

/**
 * Parses a body whose every byte counts.
 *
 * @throws {FailureError} also for bytes that are not valid UTF-8, and for deep nesting
 */
export function readJson(body: Uint8Array, { headers }: { headers: Headers }): unknown {
  const { value, isUtf8 } = parseBody(body, headers);
  if (!isUtf8) throw notUtf8();
  if (!dropUnsafeKeys(value)) {
    const reason = `the response is nested deeper than ${maxDepth} levels`;
    throw new FailureError({ code: 'too-deep', reason });
  }
  return value;
}

/**
 * Removes the keys through which a value could reach a prototype. It does not recurse, because a body of
 * 100,000 brackets must not overflow the stack.
 *
 * @returns false, with keys left in place, for a value that is nested too deep to be used
 */
export function dropUnsafeKeys(root: unknown): boolean {
  let level = [root].filter(isObject);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return false;
    for (const holder of level) {
      for (const key of Object.keys(holder)) {
        if (unsafeKeys.has(key)) Reflect.deleteProperty(holder, key);
      }
    }
    level = level.flatMap((holder) => Object.values(holder).filter(isObject));
  }
  return true;
}

/** Narrows to an object with fields, which a list is not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isValidUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function parse(text: string): unknown {
  // A reviver is several times slower, so it is used only for a text that may need it.
  return /:\s*-?\d{16}/.test(text) ? JSON.parse(text, exactId as Reviver) : JSON.parse(text);
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

/** TypeScript's library lacks the third parameter of a reviver, which all runtimes have. */
function exactId(
  this: unknown,
  key: string,
  value: unknown,
  { source = '' }: { source?: string },
): unknown {
  const isInexact = key === 'id' && typeof value === 'number' && !Number.isSafeInteger(value);
  return isInexact && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function syntaxFailure(
  text: string,
  { isUtf8, contentType }: { isUtf8: boolean; contentType: string | null },
): FailureError {
  if (text.trim() === '') {
    return new FailureError({ code: 'empty-body', reason: 'responded 200 with an empty body' });
  }
  if (contentType && !/[/+]json\b/i.test(contentType)) {
    return new FailureError({
      code: 'not-json',
      reason: `responded with ${contentType.split(';')[0]?.trim()} instead of JSON`,
      hint: 'Open the URL in a browser, and check `baseUrl`. A login page or a firewall may respond instead of the service.',
    });
  }
  // A body that breaks off in the middle of a character ends with the mark.
  if (!isUtf8 && !text.endsWith(replacement)) return notUtf8();
  return new FailureError({
    code: 'bad-json',
    reason: `the response is not valid JSON (${text.length} characters)`,
  });
}

function notUtf8(): FailureError {
  return new FailureError({
    code: 'bad-text',
    reason: 'the response contains bytes that are not valid UTF-8',
  });
}
