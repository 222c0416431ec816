import { hash } from '../shared/hash.ts';

// The digest of an entry in Astro's store: 32 digits for everything that the entry is made from, 16 for its parsed data,
// and the position. Astro ignores a write with an equal digest, so the position is a part of it. It is not a part of
// the content, though: the removal of one old article would change the content of all newer ones.

const own = /^(?<content>(?<inputs>[\da-f]{32})[\da-f]{16})\.(?<position>\d+)$/;

type Digest = string | number | undefined;

/** Returns the hash of everything that an entry is made from, except its position. */
export function hashInputs(inputs: readonly unknown[]): string {
  return hash(JSON.stringify(inputs));
}

/** Returns a digest that changes when any part of an entry changes. */
export function entryDigest(
  inputs: string,
  { position, ...data }: { position: number; [field: string]: unknown },
): string {
  const text = JSON.stringify(data, (_, value) => {
    if (typeof value === 'bigint') return `${value}n`;
    return value instanceof Map || value instanceof Set ? [...value] : value;
  });
  return `${inputs}${hash(text).slice(0, 16)}.${position}`;
}

/** Whether an entry was made from the same inputs, and has the same position. */
export function hasInputs(digest: Digest, inputs: string, position: number): boolean {
  const parts = own.exec(String(digest))?.groups;
  return parts?.inputs === inputs && parts.position === String(position);
}

/** Returns the digest of an entry's content, without its position. The digests of other loaders are unchanged. */
export function contentDigest(digest: Digest): Digest {
  return own.exec(String(digest))?.groups?.content ?? digest;
}

/** Whether this package wrote an entry. A site may call other loaders for the same collection. */
export function isOwnEntry({ digest }: { digest?: Digest }): boolean {
  return own.test(String(digest));
}
