import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pickEvenly } from '../../../src/load/list.ts';

test('a sample has the first value, the last one, and no other twice', () => {
  fc.assert(
    fc.property(fc.nat(3_000), fc.integer({ min: 2, max: 25 }), (length, count) => {
      const values = Array.from({ length }, (_, index) => index);
      const picked = pickEvenly(values, count);
      expect(picked).toHaveLength(Math.min(length, count));
      expect(picked).toEqual([...new Set(picked)].toSorted((a, b) => a - b));
      if (length > 0) expect([picked[0], picked.at(-1)]).toEqual([0, length - 1]);
    }),
  );
});
