import * as crypto from 'node:crypto';

/** Returns the first 128 bits of the SHA-256 of some bytes, in hexadecimal. */
export function hash(bytes: string | Uint8Array): string {
  return crypto.hash('sha256', bytes, 'hex').slice(0, 32);
}

/** Returns the hash of two texts as if they were one, without the cost of joining them. */
export function hashOfBoth(first: string, second: string): string {
  return crypto.createHash('sha256').update(first).update(second).digest('hex').slice(0, 32);
}
