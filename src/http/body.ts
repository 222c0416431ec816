import { FailureError } from './failure.ts';

export interface BodyOptions {
  /** The size limit in bytes, after decompression. `content-length` is the compressed size, and is ignored. */
  maxBytes: number;
  /** Stops the reading, even if a custom `fetch` ignores the signal. */
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
  const [only = new Uint8Array()] = chunks;
  if (chunks.length <= 1) return only;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
