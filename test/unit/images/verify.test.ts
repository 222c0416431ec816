import { readdir, readFile } from 'node:fs/promises';
import { imageMetadata } from 'astro/assets/utils';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FailureError } from '../../../src/http/failure.ts';
import { verifyImage } from '../../../src/images/verify.ts';
import { type ImageKind, imageKinds } from '../../../src/shared/image-kinds.ts';
import { fixtureCover } from '../../helpers/image-host.ts';
import { read } from '../../helpers/readme.ts';
import { avifOf, gifOf, jpegWithFillByte, pngOf, slowJpeg } from './image-bytes.ts';

async function failureOf(bytes: Uint8Array): Promise<FailureError['failure']> {
  const error: unknown = await verifyImage(bytes).catch((reason: unknown) => reason);
  if (error instanceof FailureError) return error.failure;
  throw new Error('the image was not refused', { cause: error });
}

/** Returns the names of the variables of each process that decodes images for this one. */
async function variablesOfDecoders(): Promise<string[][]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const read = (file: string) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
      const isOwn = (await read('status')).includes(`\nPPid:\t${process.pid}\n`);
      if (!isOwn || !(await read('cmdline')).includes('verify-program')) return [];
      const lines = (await read('environ')).split('\0').filter((line) => line !== '');
      return [lines.map((line) => line.split('=', 1)[0] ?? '')];
    }),
  );
  return found.flat();
}

const coverOf: Record<ImageKind, string> = {
  jpg: 'tides.jpg',
  png: 'welcome.png',
  webp: 'clouds.webp',
  avif: 'garden.avif',
  gif: 'balloon.gif',
};
const covers = Object.entries(coverOf).map(([kind, name]) => [name, kind] as const);
const kindNames = imageKinds.map((kind) => new RegExp(kind === 'jpg' ? 'JPEG' : kind, 'i'));

describe('an image', () => {
  it.each(covers)('%s has the extension of its format', async (name, extension) => {
    const color = expect.stringMatching(/^#[0-9a-f]{6}$/);
    expect(await verifyImage(await fixtureCover(name))).toEqual({ extension, color });
  });

  it.each(covers)('a truncated %s is refused', async (name) => {
    const bytes = await fixtureCover(name);
    for (const share of [0.01, 0.3, 0.7, 0.95, 0.99]) {
      const { reason } = await failureOf(bytes.subarray(0, Math.floor(bytes.length * share)));
      expect(reason, `${share}`).toContain('corrupt or incomplete');
    }
  });

  it.each([
    ['', 'empty'],
    ['<html><svg/></html>', 'a page with SVG'],
    ['\x1f\x8b\x08', 'compressed'],
    ['<svg viewBox="0 0 40 20"/>', 'SVG, which can contain script'],
    ['RIFF\x24\0\0\0WAVEfmt ', 'a sound'],
  ])('%j is not one: %s', async (text) => {
    const { reason } = await failureOf(Buffer.from(text, 'latin1'));
    for (const kind of kindNames) expect(reason).toMatch(kind);
  });

  it('of each kind is accepted as a cover by the documentation', () => {
    const [accepted = ''] = /^.*The image is a .*$/m.exec(read('docs/guides/covers.md')) ?? [];
    for (const kind of kindNames) expect(accepted, 'docs/guides/covers.md').toMatch(kind);
  });

  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  it.each([
    ['a comment', '<!--ftyp avif-->'],
    ['an instruction', '<?x ftyp avif?>'],
  ])('is refused if it is an SVG that begins like an AVIF, with %s', async (_, start) => {
    const bytes = Buffer.from(start + drawing);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'svg' });
    const { reason } = await failureOf(bytes);
    expect(reason).toContain('corrupt or incomplete');
  });

  it.each([
    [
      'of the older version',
      (gif: Buffer) => Buffer.concat([Buffer.from('GIF87a'), gif.subarray(6)]),
    ],
    ['with zeros behind its end', (gif: Buffer) => Buffer.concat([gif, Buffer.alloc(9)])],
  ])('is accepted if it is a GIF %s', async (_, change) => {
    expect(await verifyImage(change(gifOf(2)))).toMatchObject({ extension: 'gif' });
  });

  it('that is also a valid HTML page has the extension of the image', async () => {
    const bytes = Buffer.concat([await pngOf(1), Buffer.from('<script>1</script>')]);
    expect(await verifyImage(bytes)).toMatchObject({ extension: 'png' });
  });

  it('is refused if it is valid, and Astro cannot read it', async () => {
    const bytes = await jpegWithFillByte();
    await expect(imageMetadata(bytes)).rejects.toThrow();
    const { code, reason } = await failureOf(bytes);
    expect(code).toBe('unexpected-shape');
    expect(reason).toContain('Astro cannot read');
  });
});

describe('the dominant colour', () => {
  const colorOf = async (image: Sharp) => (await verifyImage(await image.toBuffer())).color;

  /** A square in one colour, with one of another colour in a corner. */
  async function square(background: string, corner = background, size = 24): Promise<Sharp> {
    const [own, other] = [
      { width: 64, height: 64, channels: 4 as const, background },
      { width: size, height: size, channels: 4 as const, background: corner },
    ];
    const input = await sharp({ create: other }).png().toBuffer();
    return sharp({ create: own })
      .composite([{ input, left: 0, top: 0 }])
      .png();
  }

  async function twoFrames(...colors: string[]): Promise<Sharp> {
    const frames = colors.map(async (color) => (await square(color)).toBuffer());
    return sharp(await Promise.all(frames), { join: { animated: true } }).gif();
  }

  it.each([
    ['of the largest part', square('#c03020', '#2030c0'), /^#[bc].[23].[12].$/],
    ['of a larger corner', square('#c03020', '#2030c0', 48), /^#[12].[23].[bc].$/],
    ['of a black image', square('#000'), /^#080808$/],
    ['of the first frame', twoFrames('#c03020', '#2030c0'), /^#[bc].[23].[12].$/],
    ['of a grey image', square('#fff').then((image) => image.toColourspace('b-w')), /^#f8f8f8$/],
    ['of a CMYK image', square('#fff').then((image) => image.toColourspace('cmyk').jpeg()), /^#f/],
  ])('is that %s, of red, green and blue', async (_, image, color) => {
    expect(await colorOf(await image)).toMatch(color);
  });

  it.each(['#0000', '#2030c080'])('is absent when a part of the image is %s', async (color) => {
    expect(await colorOf(await square(color, '#c03020', 48))).toBeUndefined();
  });
});

describe('an image that costs too much is refused', () => {
  it('if it has more than 1,000 frames, without decoding them', async () => {
    expect(await verifyImage(gifOf(1_000))).toMatchObject({ extension: 'gif' });
    const raw = { width: 1, height: 1_001, pageHeight: 1, channels: 1 as const };
    // Equal frames would become one.
    const frames = Buffer.from(Array.from({ length: 1_001 }, (_, index) => 255 * (index % 2)));
    const webp = await sharp(frames, { raw }).webp({ lossless: true }).toBuffer();
    for (const bytes of [gifOf(1_001), gifOf(300_000), webp]) {
      expect(await failureOf(bytes)).toMatchObject({ reason: 'it has more than 1000 frames' });
    }
  });

  it('if its frames have more than 50,000,000 pixels together', async () => {
    expect(await verifyImage(gifOf(12, [2_000, 2_000]))).toMatchObject({ extension: 'gif' });
    for (const bytes of [gifOf(13, [2_000, 2_000]), gifOf(1_000, [224, 224])]) {
      const reason = 'as GIF, it has more than 50000000 pixels, in all frames';
      expect(await failureOf(bytes)).toEqual({ code: 'refused', reason });
    }
  });

  it('if it is an AVIF of more pixels than the baseline profile, or claims fewer than it has', async () => {
    const reason = 'as AVIF, it has more than 8912896 pixels, in all frames';
    expect(await failureOf(await avifOf(4_000, 3_000))).toEqual({ code: 'refused', reason });
    expect(await failureOf(await avifOf(64, 64))).toMatchObject({
      reason: expect.stringContaining('corrupt'),
    });
  });

  it('if decoding it does not end, and others are verified meanwhile', async () => {
    expect(await verifyImage(slowJpeg(1))).toMatchObject({ extension: 'jpg' });
    const slow = slowJpeg(20_000);
    const [failure, other] = await Promise.all([failureOf(slow), verifyImage(await pngOf(1))]);
    expect(failure).toEqual({
      code: 'refused',
      reason: 'decoding it failed, or took more than 5 s',
    });
    expect(other).toMatchObject({ extension: 'png' });
  });
});

it('no time limit is left when images were verified, and no timer keeps the process running', async () => {
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void vi.restoreAllMocks());
  for (let image = 1; image <= 3; image++) await verifyImage(await pngOf(image));
  const timers = set.mock.results.map(({ value }) => value as NodeJS.Timeout);
  const cleared = clear.mock.calls.map(([timer]) => timer);
  const left = timers.filter((timer) => !cleared.includes(timer));
  expect(timers.length).toBeGreaterThan(3);
  // The process may wait for another image.
  expect(left.map((timer) => timer.hasRef())).toEqual([false]);
});

it.runIf(process.platform === 'linux')(
  'the process that decodes images gets only the variables that locate libraries',
  async () => {
    await verifyImage(await pngOf(1));
    const decoders = await variablesOfDecoders();
    expect(decoders).not.toEqual([]);
    for (const names of decoders) {
      const own = names.filter((name) => !/^NODE_(?:CHANNEL_|V8_COVERAGE$)/.test(name));
      expect(own).toEqual(process.env.LD_LIBRARY_PATH === undefined ? [] : ['LD_LIBRARY_PATH']);
    }
  },
);
