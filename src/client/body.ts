/** Why a body could not be read to its end. */
export class BodyFault extends Error {
  readonly kind: 'too-large' | 'text' | 'cut';

  constructor(kind: 'too-large' | 'text' | 'cut', message: string) {
    super(message);
    this.kind = kind;
  }
}

const firstBytes = 65_536;

/**
 * Reads a body, at most `maxBytes` of it after decompression: `content-length` counts the compressed
 * bytes, so it bounds nothing, and only tells how much room to begin with.
 *
 * @throws {BodyFault} for a larger body
 */
export async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (!response.body) return new Uint8Array();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const length = response.headers.get('content-length') ?? '';
  const room = /^\d+$/.test(length) ? Number(length) : firstBytes;
  let bytes = new Uint8Array(Math.min(room, maxBytes));
  let size = 0;

  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, size);
    const end = size + value.byteLength;
    if (end > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw new BodyFault('too-large', `it is larger than ${maxBytes} bytes`);
    }
    if (end > bytes.length) bytes = widened(bytes, Math.max(end, 2 * size));
    bytes.set(value, size);
    size = end;
  }
}

function widened(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const wider = new Uint8Array(length);
  wider.set(bytes);
  return wider;
}

const strict = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads bytes as UTF-8 text.
 *
 * @throws {BodyFault} for bytes that are no UTF-8, and for a character cut in two at the end, which
 *   is what a shortened body looks like
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    } catch {
      throw new BodyFault('text', 'it holds bytes that are not UTF-8');
    }
    throw new BodyFault('cut', 'it ends in the middle of a character');
  }
}
