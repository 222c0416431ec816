import * as crypto from 'node:crypto';

/** The name of some bytes: the first 128 bits of their SHA-256, in hexadecimal. */
export function hash(bytes: string | Uint8Array): string {
  // A slice of the whole as text would keep the rest of it in memory.
  return crypto.hash('sha256', bytes, 'buffer').toString('hex', 0, 16);
}
