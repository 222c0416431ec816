import { maxDepth } from '../shared/json-value.ts';
import { FailureError, mediaType } from './failure.ts';

/**
 * Reads a body to its end.
 *
 * @param maxBytes the size limit after decompression; `content-length` is the compressed size, and is ignored
 * @param signal stops the reading, even if a custom `fetch` ignores it
 * @throws {FailureError} when it is larger than `maxBytes`
 */
export async function readBody({ body }: Response, maxBytes: number, signal?: AbortSignal) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the body, which frees the connection.
  for await (const chunk of body ?? []) {
    signal?.throwIfAborted();
    size += chunk.byteLength;
    if (size > maxBytes) {
      const reason = `the response is larger than ${maxBytes} bytes`;
      throw new FailureError({ code: 'body-too-large', reason });
    }
    chunks.push(chunk);
  }
  // With `Blob`, this took 6 % of a later load of 8,000 articles.
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** The character that a decoder writes for bytes that are not valid UTF-8. */
export const replacement = '\uFFFD';

/**
 * Parses a body as JSON. Integer `id`s beyond 2^53 become bigint, so that different articles have different ids.
 * Bytes that are not valid UTF-8 are replaced by U+FFFD.
 *
 * @throws {FailureError} whose message does not quote the body, unlike that of `JSON.parse()`
 */
export function parseBody(body: Uint8Array, headers: Headers) {
  const { text, isUtf8 } = decode(body);
  try {
    const value: unknown = JSON.parse(text);
    // A reviver is several times slower, so it is used only where it is needed.
    return { value: isInexact(value) ? JSON.parse(text, exactId as Reviver) : value, isUtf8 };
  } catch {
    throw syntaxFailure({ text, isUtf8 }, mediaType(headers));
  }
}

/**
 * Parses a body as JSON.
 *
 * @throws {FailureError} also for bytes that are not valid UTF-8
 */
export function readJson(body: Uint8Array, { headers }: { headers: Headers }): unknown {
  const { value, isUtf8 } = parseBody(body, headers);
  if (!isUtf8) throw notUtf8();
  return value;
}

function decode(body: Uint8Array): { text: string; isUtf8: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(body), isUtf8: true };
  } catch {
    return { text: new TextDecoder().decode(body), isUtf8: false };
  }
}

/** Returns whether an `id` in a value of JSON may have lost digits. */
function isInexact(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false;
  const isLong = 'id' in value && typeof value.id === 'number' && !Number.isSafeInteger(value.id);
  return isLong || Object.values(value).some((inner) => isInexact(inner, depth + 1));
}

/** The type of a reviver in TypeScript's library, which lacks the third parameter. All runtimes pass it. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function exactId(this: unknown, key: string, value: unknown, context: { source?: string }) {
  const isInexact = key === 'id' && typeof value === 'number' && !Number.isSafeInteger(value);
  const { source = '' } = context;
  return isInexact && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function syntaxFailure({ text, isUtf8 }: ReturnType<typeof decode>, type?: string): FailureError {
  if (text.trim() === '') {
    return new FailureError({ code: 'bad-json', reason: 'responded 200 with an empty body' });
  }
  if (type && !/[/+]json\b/i.test(type)) {
    const reason = `responded 200 with ${type} instead of JSON`;
    return new FailureError({ code: 'not-json', reason });
  }
  // A body that is truncated in the middle of a character ends with the replacement.
  if (!isUtf8 && !text.endsWith(replacement)) return notUtf8();
  const reason = `the response is not valid JSON (${text.length} characters)`;
  return new FailureError({ code: 'bad-json', reason });
}

function notUtf8(): FailureError {
  const reason = 'the response contains bytes that are not valid UTF-8';
  return new FailureError({ code: 'bad-text', reason });
}
