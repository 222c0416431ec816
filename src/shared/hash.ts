import * as crypto from 'node:crypto';

const length = 32;

/** The name of some bytes: the first 128 bits of their SHA-256, in hexadecimal. */
export function hash(bytes: string | Uint8Array): string {
  return crypto.hash('sha256', bytes, 'hex').slice(0, length);
}
