import * as crypto from 'node:crypto';

const algorithm = 'sha256';
const length = 32;

/** Returns the first 128 bits of the SHA-256 of some bytes, in hexadecimal. */
export function hash(bytes: string | Uint8Array): string {
  return crypto.hash(algorithm, bytes, 'hex').slice(0, length);
}

/** Computes the same hash of a text that arrives in parts. */
export function createHasher(): { update(part: string): void; digest(): string } {
  const hasher = crypto.createHash(algorithm);
  return {
    update: (part) => void hasher.update(part),
    digest: () => hasher.digest('hex').slice(0, length),
  };
}
