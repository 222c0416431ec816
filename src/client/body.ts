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
  const parts: Uint8Array[] = [];
  let size = 0;

  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw new BodyFault('too-large', `it is larger than ${maxBytes} bytes`);
    }
    parts.push(value);
  }
  return decode(joined(parts, size));
}

function joined(parts: Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.byteLength;
  }
  return bytes;
}

function decode(bytes: Uint8Array): string {
  const read = (options?: TextDecodeOptions) =>
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, options);
  try {
    return read();
  } catch {
    try {
      read({ stream: true });
    } catch {
      throw new BodyFault('text', 'it holds bytes that are not UTF-8');
    }
    throw new BodyFault('cut', 'it ends in the middle of a character');
  }
}
