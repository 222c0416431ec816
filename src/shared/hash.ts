import * as crypto from 'node:crypto';

const algorithm = 'sha256';
const length = 32;

/** Names bytes by the first 128 bits of their SHA-256, in hexadecimal. */
export function hash(bytes: string | Uint8Array): string {
  return crypto.hash(algorithm, bytes, 'hex').slice(0, length);
}

/** Computes the same hash from the parts of a text. */
export function createHasher(): { update(part: string): void; digest(): string } {
  const hasher = crypto.createHash(algorithm);
  return {
    update: (part) => void hasher.update(part),
    digest: () => hasher.digest('hex').slice(0, length),
  };
}
