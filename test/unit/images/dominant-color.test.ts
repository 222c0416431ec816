import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { expect, it } from 'vitest';
import { dominantColor } from '../../../src/images/dominant-color.ts';
import { verifyImage } from '../../../src/images/verify.ts';

/** Returns the dominant colour of an image. */
const colorOf = async (image: Sharp) => (await verifyImage(await image.toBuffer())).color;

/** A square in one colour. */
const square = (background: string, size = 64) =>
  sharp({ create: { width: size, height: size, channels: 4, background } });

/** A square in one colour, with one of another colour in a corner. */
async function withCorner(background: string, corner: string, size: number): Promise<Sharp> {
  const input = await square(corner, size).png().toBuffer();
  return square(background)
    .composite([{ input, left: 0, top: 0 }])
    .png();
}

it('is the colour of pixels that have only one', () => {
  const channel = fc.integer({ min: 0, max: 255 });
  const color = fc.tuple(channel, channel, channel);
  fc.assert(
    fc.property(color, fc.integer({ min: 1, max: 300 }), (rgb, count) => {
      const pixels = Array.from({ length: count }, () => [...rgb, 255]);
      const hex = rgb.map((each) => each.toString(16).padStart(2, '0')).join('');
      expect(dominantColor(new Uint8Array(pixels.flat()))).toBe(`#${hex}`);
    }),
  );
});

it('is that of the largest part, and no mixture with other parts', async () => {
  expect(await colorOf(await withCorner('#c03020', '#2030c0', 24))).toBe('#c03020');
  expect(await colorOf(await withCorner('#c03020', '#2030c0', 48))).toBe('#2030c0');
});

it.each(['jpeg', 'webp', 'avif', 'gif', 'png'] as const)('is found in a %s', async (format) => {
  const color = (await colorOf(square('#204080').toFormat(format))) ?? '';
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  for (const [index, channel] of [0x20, 0x40, 0x80].entries()) {
    expect(Math.abs((channels[index] ?? 999) - channel)).toBeLessThanOrEqual(4);
  }
});

it('of a grey or a CMYK image is one of red, green and blue', async () => {
  expect(await colorOf(square('#fff').toColourspace('b-w').png())).toBe('#ffffff');
  const cmyk = square('#fff').toColourspace('cmyk').jpeg();
  expect(await colorOf(cmyk)).toMatch(/^#f[c-f]f[c-f]f[c-f]$/);
});

it('is absent when a part of the image is transparent', async () => {
  expect(await colorOf(await withCorner('#0000', '#2030c0', 48))).toBeUndefined();
  expect(dominantColor(new Uint8Array())).toBeUndefined();
});
