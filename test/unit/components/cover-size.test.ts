import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cropTo, largestOf, offeredSizes } from '../../../src/components/cover-size.ts';

it.each([
  [{ width: 1600, height: 900 }, undefined, { width: 1600, height: 900 }],
  [{ width: 1600, height: 900 }, 1, { width: 900, height: 900 }],
  [{ width: 900, height: 1600 }, 16 / 9, { width: 900, height: 506 }],
  [{ width: 1, height: 1 }, 3, { width: 1, height: 1 }],
])('crops %o to the ratio %s', (size, ratio, expected) => {
  expect(cropTo(size, ratio)).toEqual(expected);
});

it('enlarges no cover for a link preview, and fills 1200 × 630 pixels if it can', () => {
  const side = fc.integer({ min: 1, max: 3_000 });
  const reached = { smaller: 0, full: 0 };
  fc.assert(
    fc.property(side, side, (width, height) => {
      const size = offeredSizes({ width, height }, 1_200 / 630, [1_200]);
      expect(size.width).toBeLessThanOrEqual(width);
      expect(size.height).toBeLessThanOrEqual(height);
      expect(Math.abs(size.height - (size.width * 630) / 1200)).toBeLessThanOrEqual(1);
      const isFull = width >= 1_200 && height >= 630;
      if (isFull) expect(size).toMatchObject({ width: 1_200, height: 630 });
      else
        expect(Math.max(size.width / width, size.height / height)).toBeGreaterThan(
          0.99 - 2 / Math.min(width, height),
        );
      reached[isFull ? 'full' : 'smaller'] += 1;
    }),
    {
      examples: [
        [1_000, 300],
        [300, 1_000],
        [1, 1],
      ],
    },
  );
  expect(Math.min(...Object.values(reached))).toBeGreaterThan(5);
});

it('offers each wanted width that fits into the crop, and the width of the crop for larger ones', () => {
  const side = fc.integer({ min: 1, max: 3_000 });
  const ratio = fc.constantFrom(undefined, 1, 0.5, 16 / 9, 3);
  let limited = 0;
  fc.assert(
    fc.property(
      fc.record({ width: side, height: side }),
      ratio,
      fc.array(side, { minLength: 1, maxLength: 4 }),
      (cover, ratio, wanted) => {
        const crop = cropTo(cover, ratio);
        const { width, height, widths } = offeredSizes(cover, ratio, wanted);
        expect(Math.max(...widths)).toBe(Math.min(crop.width, Math.max(...wanted)));
        expect(width).toBe(Math.max(...widths));
        expect(Math.abs(height - (width * crop.height) / crop.width)).toBeLessThanOrEqual(0.5);
        expect(wanted.filter((each) => each <= crop.width)).toEqual(
          widths.filter((_, index) => widths[index] === wanted[index]),
        );
        if (ratio && crop.width < cover.width && Math.max(...wanted) > crop.width) limited += 1;
      },
    ),
  );
  expect(limited).toBeGreaterThan(5);
});

it('keeps the ratio in the largest size', () => {
  expect(largestOf({ width: 1600, height: 900 }, [400, 800])).toEqual({ width: 800, height: 450 });
});
