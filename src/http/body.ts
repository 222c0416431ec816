import { FailureError } from './failure.ts';

/**
 * Reads a body to its end.
 *
 * @param options `maxBytes`: the size limit after decompression; `content-length` is the compressed size, and is
 *   ignored. `signal`: stops the reading, even if a custom `fetch` ignores it
 * @throws {FailureError} when it is larger than `maxBytes`
 */
export async function readBody(
  { body }: Response,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal },
): Promise<Uint8Array> {
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
  const [only = new Uint8Array()] = chunks;
  return chunks.length <= 1 ? only : new Uint8Array(await new Blob(chunks).arrayBuffer());
}
