import * as crypto from 'node:crypto';

/** Returns the first 128 bits of the SHA-256 of some bytes, in hexadecimal. */
export function hash(bytes: string | Uint8Array): string {
  return crypto.hash('sha256', bytes, 'hex').slice(0, 32);
}
