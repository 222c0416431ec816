import sharp from 'sharp';
import { fixtureCover } from '../../helpers/image-host.ts';

/** A small PNG in one colour; each colour gives other bytes. */
export function pngOf(red: number, size = 8): Promise<Buffer> {
  const background = { r: red, g: 0, b: 0 };
  return sharp({ create: { width: size, height: size, channels: 3, background } })
    .png()
    .toBuffer();
}

/** A JPEG with a fill byte before its second marker (ITU T.81, B.1.1.2). */
export async function jpegWithFillByte(): Promise<Buffer> {
  const bytes = await fixtureCover('tides.jpg');
  return Buffer.concat([bytes.subarray(0, 2), Buffer.from([0xff]), bytes.subarray(2)]);
}

/** A lossless JPEG (SOF3) of 8 × 8 grey pixels: every difference from the prediction is zero. */
export function losslessJpeg(): Buffer {
  return Buffer.from([
    ...[0xff, 0xd8],
    ...[0xff, 0xc3, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0],
    ...[0xff, 0xc4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 1, 0, 0],
    ...[0, 0, 0, 0, 0, 0, 0, 0],
    ...[0xff, 0xd9],
  ]);
}

export const hostileSvg = `<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20" onload="alert(1)">
  <script>alert(1)</script><style>rect { stroke: url(https://away.example/x) }</style>
  <rect width="40" height="20" fill="#f00"/><use href="https://away.example/z#a"/>
  <image href="https://away.example/p.png"/><image href="file:///etc/passwd"/>
  <foreignObject><p>x</p></foreignObject><animate attributeName="href" to="javascript:1"/>
</svg>`;

/** An SVG image of 2 KB that takes minutes to draw. */
export const slowSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f">${'<feTurbulence numOctaves="10" baseFrequency="0.5"/><feGaussianBlur stdDeviation="50"/>'.repeat(20)}</filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`;
