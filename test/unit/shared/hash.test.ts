import { expect, it } from 'vitest';
import { hash } from '../../../src/shared/hash.ts';

// The mirrors of released versions have these hashes in the names of their files.
it.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb924'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223'],
  [new TextEncoder().encode('abc'), 'ba7816bf8f01cfea414140de5dae2223'],
  ['\u00fc', hash(Buffer.from([0xc3, 0xbc]))],
])('has the first 128 bits of the SHA-256 of %j', (text, digits) => {
  expect(hash(text)).toBe(digits);
});
