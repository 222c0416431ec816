import { spawn, spawnSync } from 'node:child_process';
import { imageMetadata } from 'astro/assets/utils';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FailureError } from '../../../src/http/failure.ts';
import { sniff, verifyImage } from '../../../src/images/verify.ts';
import { fixtureCover } from '../../helpers/image-host.ts';
import { hostileSvg, jpegWithFillByte, losslessJpeg, pngOf, slowSvg } from './image-bytes.ts';

const limits = { svg: false, maxBytes: 20_000_000, maxPixels: 50_000_000 };
const withSvg = { ...limits, svg: true };

async function failureOf(
  bytes: Uint8Array,
  imageLimits = limits,
): Promise<FailureError['failure']> {
  const error: unknown = await verifyImage(bytes, imageLimits).then(
    () => undefined,
    (reason) => reason,
  );
  if (error instanceof FailureError) return error.failure;
  throw new Error('the image was not refused', { cause: error });
}

const covers = [
  ['tides.jpg', 'jpg'],
  ['welcome.png', 'png'],
  ['clouds.webp', 'webp'],
  ['garden.avif', 'avif'],
  ['balloon.gif', 'gif'],
];

describe('an image', () => {
  it.each(covers)('%s is unchanged, with the extension of its format', async (name, extension) => {
    const bytes = await fixtureCover(name);
    const { width = 0, height = 0 } = await sharp(bytes, { pages: -1 }).metadata();
    expect(await verifyImage(bytes, limits)).toEqual({
      bytes,
      extension,
      pixels: width * height,
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
    });
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
    ['<!doctype html><svg></svg>', 'a page'],
    ['<html><svg/></html>', 'a page with SVG'],
    ['{"error":"no"}', 'JSON'],
    ['\x1f\x8b\x08', 'compressed'],
  ])('%j is not one: %s', async (text) => {
    const { reason } = await failureOf(Buffer.from(text, 'latin1'), withSvg);
    expect(reason).toContain('not a JPEG, PNG, WebP, AVIF or GIF');
  });

  it('that is also a valid HTML page has the extension of the image', async () => {
    const bytes = Buffer.concat([await pngOf(1), Buffer.from('<script>1</script>')]);
    expect(await verifyImage(bytes, limits)).toMatchObject({ extension: 'png' });
  });

  it('may not have more pixels than `images.maxPixels` in all frames', async () => {
    const { reason } = await failureOf(await pngOf(1, 11), { ...limits, maxPixels: 120 });
    expect(reason).toBe('it has more than 120 pixels (`images.maxPixels`)');
    const gif = await fixtureCover('balloon.gif');
    expect((await failureOf(gif, { ...limits, maxPixels: 360 * 600 - 1 })).reason).toContain(
      'pixels',
    );
  });
});

describe('a valid image that Astro cannot read', () => {
  it.each([
    ['a JPEG with a fill byte', jpegWithFillByte],
    ['a lossless JPEG', async () => losslessJpeg()],
  ])('is refused: %s', async (_, create) => {
    const bytes = await create();
    await expect(imageMetadata(bytes)).rejects.toThrow();
    const { code, reason } = await failureOf(bytes);
    expect(code).toBe('refused');
    expect(reason).toContain('Astro cannot read');
  });
});

describe('an SVG image', () => {
  it.each([
    ['<svg viewBox="0 0 40 20"/>'],
    ['\uFEFF<?xml version="1.0"?>\n<!-- x --><!DOCTYPE svg>\n<svg width="1" height="1"/>'],
  ])('is recognised by its start: %j', (text) => {
    expect(sniff(Buffer.from(text))).toBe('svg');
  });

  it('is converted to PNG with it, and loads nothing', async () => {
    const image = await verifyImage(Buffer.from(hostileSvg), withSvg);
    expect(image).toMatchObject({ extension: 'png', pixels: 800, isFromSvg: true });
    expect(await imageMetadata(image.bytes)).toMatchObject({
      width: 40,
      height: 20,
      format: 'png',
    });
    const { channels } = await sharp(image.bytes).stats();
    expect(channels.map(({ mean }) => mean)).toEqual([255, 0, 0, 255]);
  });

  it('is refused when it is too large, or not well-formed', async () => {
    const large = '<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"/>';
    const external = `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${large.replace('/>', '>&x;</svg>')}`;
    for (const text of [large, external, '<svg>', '<!-- <svg>']) {
      expect(await failureOf(Buffer.from(text), withSvg), text).toMatchObject({ code: 'refused' });
    }
  });

  it('is refused when it takes too long to draw', async () => {
    const start = performance.now();
    expect((await failureOf(Buffer.from(slowSvg), withSvg)).reason).toContain('within 5000 ms');
    expect(performance.now() - start).toBeLessThan(8_000);
  });

  it('is drawn no longer than that when the build is killed', async () => {
    const path = new URL('../../../src/images/rasterise-svg.ts', import.meta.url);
    const program = `import { rasteriseSvg } from '${path}';
      await rasteriseSvg(Buffer.from(process.env.SVG), { maxBytes: 1e8, maxPixels: 1e8 });`;
    const build = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { SVG: slowSvg },
    });
    const childOf = () => Number(spawnSync('pgrep', ['-P', String(build.pid)]).stdout);
    const child = await vi.waitUntil(childOf, { timeout: 20_000 });
    build.kill('SIGKILL');
    const hasEnded = () => spawnSync('ps', ['-p', String(child)]).status !== 0;
    onTestFinished(() => {
      if (!hasEnded()) process.kill(child, 'SIGKILL');
    });
    await vi.waitUntil(hasEnded, { timeout: 20_000, interval: 200 });
  });
});
