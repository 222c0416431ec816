import { expect, it } from 'vitest';
import { cropTo, largestOf } from '../../../src/components/cover-size.ts';

it.each([
  [{ width: 1600, height: 900 }, undefined, { width: 1600, height: 900 }],
  [{ width: 1600, height: 900 }, 1, { width: 900, height: 900 }],
  [{ width: 900, height: 1600 }, 16 / 9, { width: 900, height: 506 }],
  [{ width: 1, height: 1 }, 3, { width: 1, height: 1 }],
])('crops %o to the ratio %s', (size, ratio, expected) => {
  expect(cropTo(size, ratio)).toEqual(expected);
});

it('keeps the ratio in the largest size', () => {
  expect(largestOf({ width: 1600, height: 900 }, [400, 800])).toEqual({ width: 800, height: 450 });
});
