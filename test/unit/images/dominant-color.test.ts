import fc from 'fast-check';
import sharp, { type Color, type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { dominantColor } from '../../../src/images/dominant-color.ts';
import { verifyImage } from '../../../src/images/verify.ts';

const hex = (channels: readonly number[]) =>
  `#${channels.map((each) => each.toString(16).padStart(2, '0')).join('')}`;

async function colorOf(image: Sharp): Promise<string | undefined> {
  return (await verifyImage(await image.toBuffer())).color;
}

/** An image of one colour, with a square of another one in a corner. */
function withCorner(background: Color, corner: Color, size: number): Sharp {
  const create = (color: Color, side: number) =>
    sharp({ create: { width: side, height: side, channels: 4, background: color } });
  const input = { create: { width: size, height: size, channels: 4 as const, background: corner } };
  return create(background, 64).composite([{ input, left: 0, top: 0 }]);
}

describe('the dominant colour', () => {
  it('of pixels with one colour is that colour', () => {
    const channel = fc.integer({ min: 0, max: 255 });
    let checked = 0;
    fc.assert(
      fc.property(
        fc.tuple(channel, channel, channel),
        fc.integer({ min: 1, max: 300 }),
        (rgb, count) => {
          const pixels = Array.from({ length: count }, () => [...rgb, 255]);
          expect(dominantColor(new Uint8Array(pixels.flat()))).toBe(hex(rgb));
          checked += 1;
        },
      ),
    );
    expect(checked).toBeGreaterThan(50);
  });

  it('is that of the largest part, and no mixture with other parts', async () => {
    expect(await colorOf(withCorner('#c03020', '#2030c0', 24).png())).toBe('#c03020');
    expect(await colorOf(withCorner('#c03020', '#2030c0', 48).png())).toBe('#2030c0');
  });

  it.each(['jpeg', 'webp', 'avif', 'gif', 'png'] as const)('is found in a %s', async (format) => {
    const color = (await colorOf(withCorner('#204080', '#204080', 1).toFormat(format))) ?? '';
    const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    for (const [index, channel] of [0x20, 0x40, 0x80].entries()) {
      expect(Math.abs((channels[index] ?? 999) - channel)).toBeLessThanOrEqual(4);
    }
  });

  it('of a grey or a CMYK image is one of red, green and blue', async () => {
    const white = withCorner('#fff', '#fff', 1);
    expect(await colorOf(white.clone().toColourspace('b-w').png())).toBe('#ffffff');
    expect(await colorOf(white.clone().toColourspace('cmyk').jpeg())).toMatch(
      /^#f[c-f]f[c-f]f[c-f]$/,
    );
  });

  it('is absent when a part of the image is transparent', async () => {
    expect(await colorOf(withCorner({ r: 0, g: 0, b: 0, alpha: 0 }, '#2030c0', 48).png())).toBe(
      undefined,
    );
    expect(dominantColor(new Uint8Array())).toBeUndefined();
  });
});
