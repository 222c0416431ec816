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

/** A GIF of empty frames. Each one is 21 bytes in the file. */
export function gifOf(frames: number, [width, height]: readonly [number, number] = [1, 1]): Buffer {
  const screen = Buffer.from('GIF89a....\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  const frame = Buffer.from('2c0000000001000100000202440100', 'hex');
  return Buffer.concat([screen, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')]);
}

/** An AVIF that claims another size. */
export async function avifOf(width: number, height: number): Promise<Buffer> {
  const bytes = await fixtureCover('garden.avif');
  const size = bytes.indexOf('ispe') + 8;
  bytes.writeUInt32BE(width, size);
  bytes.writeUInt32BE(height, size + 4);
  return bytes;
}

/** A valid grey JPEG of 49 million pixels, in many scans of 75 bytes. Each takes 10 ms to decode. */
export function slowJpeg(scans: number): Buffer {
  const side = 7_000;
  const blocks = (side / 8) ** 2;
  const segment = (marker: number, ...data: number[]) => [
    0xff,
    marker,
    0,
    data.length + 2,
    ...data,
  ];
  const table = (id: number, symbol: number) =>
    segment(0xc4, id, 1, ...Array<number>(15).fill(0), symbol);
  const start = [
    ...[0xff, 0xd8],
    ...segment(0xdb, 0, ...Array<number>(64).fill(1)),
    ...segment(0xc2, 8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0),
    ...table(0, 0),
    ...table(0x10, 0xe0),
    ...segment(0xda, 1, 1, 0, 0, 0, 0),
  ];
  // The end of a band, for 16,384 blocks and then some.
  const run = `0${'0'.repeat(14)}`;
  const bits = run.repeat(Math.ceil(blocks / 16_384)).match(/.{1,8}/g) ?? [];
  const band = Buffer.from(bits.map((byte) => Number.parseInt(byte.padEnd(8, '1'), 2)));
  const scan = Buffer.concat([Buffer.from(segment(0xda, 1, 1, 0, 1, 63, 0)), band]);
  const grey = Buffer.alloc(Math.ceil(blocks / 8));
  return Buffer.concat([
    Buffer.from(start),
    grey,
    ...Array<Buffer>(scans).fill(scan),
    Buffer.from([0xff, 0xd9]),
  ]);
}
