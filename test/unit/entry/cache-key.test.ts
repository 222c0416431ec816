import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheKey, entryDigest } from '../../../src/entry/digest.ts';
import { ArticlesOptionsError } from '../../../src/errors.ts';

const entry = (id: string) => ({ id, digest: 'd', collection: 'articles' });
const [a, b, c] = [entry('a'), entry('b'), entry('c')];

test('equal pages have equal keys, and other fields of the entries do not matter', () => {
  const more = { ...b, data: { more: true } };
  expect(cacheKey(a, more, c)).toBe(cacheKey(a, b, c));
  expect(cacheKey(undefined)).toBe(cacheKey(null));
});

test('the key changes with the data of an article, and not with its position', () => {
  const keyOf = (title: string, position: number) => {
    const digest = entryDigest('0'.repeat(32), { id: '1', position }, { title, position });
    return cacheKey({ id: '1', collection: 'articles', digest });
  };
  expect(keyOf('a', 1)).toBe(keyOf('a', 2));
  expect(keyOf('a', 1)).not.toBe(keyOf('b', 1));
});

test('different lists of entries have different keys', () => {
  const part = fc.oneof(
    fc.record({ collection: fc.string(), id: fc.string(), digest: fc.string() }),
    fc.string(),
    fc.integer(),
    fc.constant(undefined),
  );
  const list = fc.array(part, { maxLength: 4 });
  fc.assert(
    fc.property(list, list, (one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(cacheKey(...one) === cacheKey(...other)).toBe(isSame);
    }),
    {
      examples: [
        [
          [a, b, undefined],
          [a, undefined, b],
        ],
        [[3], ['3']],
        [[a], [JSON.stringify(['articles', 'a', 'd'])]],
        [[undefined], ['']],
        [[undefined], []],
      ],
    },
  );
});

test('another digest of another loader is another key', () => {
  // Versions, times, hashes and numbers.
  const digest = fc.oneof(
    fc.stringMatching(/^[\da-f]{1,3}([.:-][\da-f]{1,3}){0,2}$/),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(digest, digest, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(cacheKey({ ...a, digest: one })).not.toBe(cacheKey({ ...a, digest: other }));
    }),
    {
      examples: ['2.1 2.2', '1a.b 1a', 'a-1 a-2'].map(
        (pair) => pair.split(' ') as [string, string],
      ),
    },
  );
});

test('an entry without a digest is refused, since its changes cannot be seen', () => {
  const { digest: _, ...bare } = a;
  expect(() => cacheKey(bare)).toThrow(ArticlesOptionsError);
});
