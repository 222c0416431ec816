import { type Failure, FailureError, mediaType } from './failure.ts';
import type { Reply } from './send.ts';

/**
 * Reads a body to its end.
 *
 * @param maxBytes the size limit after decompression; `content-length` is the compressed size, and is ignored
 * @param signal stops the reading, even if a custom `fetch` ignores it
 * @throws {FailureError} when it is larger than `maxBytes`
 */
export async function readBody(
  { body }: Pick<Reply, 'body'>,
  maxBytes: number,
  signal?: AbortSignal | null,
) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
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

/** An id that may lose digits as a number. */
const longId = /"id"\s*:\s*-?\d{16}/;

/** The character that a decoder writes for bytes that are not valid UTF-8. */
export const replacementCharacter = '\uFFFD';

/**
 * Parses a body as JSON. Integer `id`s beyond 2^53 become bigint, so that different articles have different ids.
 *
 * @throws {FailureError} whose message does not quote the body, unlike errors of `JSON.parse()`
 */
export function parseBody(decoded: DecodedText, headers: Headers): unknown {
  const { text } = decoded;
  try {
    // A reviver is several times slower, so it is used only where it is needed.
    return JSON.parse(text, longId.test(text) ? (exactId as Reviver) : undefined) as unknown;
  } catch (error) {
    // Thrown by a reviver, which calls itself for each level.
    if (error instanceof RangeError) throw new FailureError(tooDeep);
    throw syntaxFailure(decoded, mediaType(headers));
  }
}

/**
 * Parses a body as JSON.
 *
 * @throws {FailureError} also for bytes that are not valid UTF-8
 */
export function readJson(decoded: DecodedText, { headers }: { headers: Headers }): unknown {
  const value = parseBody(decoded, headers);
  if (!decoded.isUtf8) throw notUtf8();
  return value;
}

export interface DecodedText {
  text: string;
  isUtf8: boolean;
}

/** Decodes a text. Bytes that are not valid UTF-8 are replaced by U+FFFD. */
export function decodeText(body: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(body), isUtf8: true };
  } catch {
    return { text: new TextDecoder().decode(body), isUtf8: false };
  }
}

/**
 * The type of a reviver in TypeScript's library, which lacks the third parameter that all runtimes pass
 * (https://github.com/microsoft/TypeScript/issues/61330).
 */
type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function exactId(this: unknown, key: string, value: unknown, context: { source?: string }) {
  const isInexact = key === 'id' && typeof value === 'number' && !Number.isSafeInteger(value);
  const { source = '' } = context;
  // No id is longer. Making a bigint of a million digits takes seconds.
  return isInexact && /^-?\d{1,512}$/.test(source) ? BigInt(source) : value;
}

const tooDeep: Failure = {
  code: 'unexpected-shape',
  reason: 'responded with lists or objects that are nested too deeply',
};

function syntaxFailure({ text, isUtf8 }: DecodedText, type?: string): FailureError {
  if (text.trim() === '') {
    return new FailureError({ code: 'bad-json', reason: 'responded 200 with an empty body' });
  }
  if (type && !/[/+]json\b/i.test(type)) {
    const reason = `responded 200 with ${type} instead of JSON`;
    return new FailureError({ code: 'not-json', reason });
  }
  // A body that is truncated in the middle of a character ends with the replacementCharacter.
  if (!isUtf8 && !text.endsWith(replacementCharacter)) return notUtf8();
  const reason = `the response is not valid JSON (${text.length} characters)`;
  return new FailureError({ code: 'bad-json', reason });
}

function notUtf8(): FailureError {
  const reason = 'the response contains bytes that are not valid UTF-8';
  return new FailureError({ code: 'bad-text', reason });
}
