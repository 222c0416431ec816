import type { Buffers } from './buffer-pool.ts';

/** Why a body could not be read to its end. */
export class BodyFault extends Error {
  readonly kind: 'too-large' | 'text' | 'cut';

  constructor(kind: 'too-large' | 'text' | 'cut', message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface BodyOptions {
  /** Cap in bytes, after decompression: `content-length` counts the compressed ones, and bounds nothing. */
  maxBytes: number;
  buffers: Buffers;
  /** Ends the reading, also where whoever sends the body does not heed it. */
  signal?: AbortSignal | undefined;
}

const firstBytes = 65_536;

/**
 * Receives a body to its end, and reads it. Its bytes are there until `read` returns: then another
 * body may take their place.
 *
 * @throws {BodyFault} for a body that is larger than `maxBytes`
 */
export async function readBody<T>(
  response: Response,
  { maxBytes, buffers, signal }: BodyOptions,
  read: (body: Uint8Array) => T,
): Promise<T> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  let bytes = buffers.take(Math.min(roomFor(response), maxBytes));
  let size = 0;
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      signal?.throwIfAborted();
      if (done) return read(bytes.subarray(0, size));
      const end = size + value.byteLength;
      if (end > maxBytes) {
        throw new BodyFault('too-large', `it is larger than ${maxBytes} bytes`);
      }
      if (end > bytes.length) {
        const wider = buffers.take(Math.min(maxBytes, Math.max(end, 2 * size)));
        wider.set(bytes.subarray(0, size));
        buffers.give(bytes);
        bytes = wider;
      }
      bytes.set(value, size);
      size = end;
    }
  } finally {
    buffers.give(bytes);
    // Nothing more is wanted of one that was not received to its end.
    reader?.cancel().catch(() => undefined);
  }
}

/** How much to begin with. */
function roomFor({ headers }: Response): number {
  const length = headers.get('content-length') ?? '';
  return /^\d+$/.test(length) ? Number(length) : firstBytes;
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
