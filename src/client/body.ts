/** Why a body could not be read to its end. */
export class BodyFault extends Error {
  readonly kind: 'too-large' | 'text' | 'cut';

  constructor(kind: 'too-large' | 'text' | 'cut', message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Reads a body as UTF-8 text, at most `maxBytes` of it after decompression: `content-length` counts
 * the compressed bytes and bounds nothing.
 *
 * @throws {BodyFault} for a larger body, for bytes that are no UTF-8, and for a character cut in two
 *   at the end, which is what a shortened body looks like.
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parts: string[] = [];
  let size = 0;

  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw new BodyFault('too-large', `it is larger than ${maxBytes} bytes`);
    }
    parts.push(decode(decoder, value, 'text', 'it holds bytes that are not UTF-8'));
  }
  parts.push(decode(decoder, undefined, 'cut', 'it ends in the middle of a character'));
  return parts.join('');
}

function decode(
  decoder: TextDecoder,
  bytes: Uint8Array | undefined,
  kind: 'text' | 'cut',
  message: string,
): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch {
    throw new BodyFault(kind, message);
  }
}
