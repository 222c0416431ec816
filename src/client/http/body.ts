import { FailureError } from './failure.ts';

export interface BodyOptions {
  /** Limit in bytes, after decompression. `content-length` counts compressed bytes, and limits nothing. */
  maxBytes: number;
  /** Stops the reading, even of a body whose sender ignores the signal. */
  signal?: AbortSignal | undefined;
}

/**
 * Reads a body to its end.
 *
 * @throws {FailureError} when it is larger than `maxBytes`
 */
export async function readBody(
  { body }: Response,
  { maxBytes, signal }: BodyOptions,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      signal?.throwIfAborted();
      if (done) return concat(chunks, size);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } finally {
    // Frees the connection when the body was not read to its end.
    reader?.cancel().catch(() => undefined);
  }
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (first && chunks.length === 1) return first;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function tooLarge(maxBytes: number): FailureError {
  return new FailureError({
    code: 'body-too-large',
    reason: `the response is larger than ${maxBytes} bytes`,
    hint: 'Raise `maxBytes` if the service legitimately sends such responses.',
  });
}
