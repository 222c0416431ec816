import type { ImageKind } from '../shared/image-kinds.ts';

// The process of verifyImage(). It ends with the process that started it.

/** An image that can be published. */
export interface VerifiedImage {
  extension: ImageKind;
  /** Its dominant colour, as `#rrggbb`. Absent when a part of the image is transparent. */
  color?: string;
}

/** Why an image cannot be used. With `unexpected-shape`, another attempt may receive it intact. */
export interface ImageRefusal {
  code: 'unexpected-shape' | 'refused' | 'sharp-missing';
  reason: string;
}

/** The functions of libvips that decode these kinds from memory. All others are blocked. */
const decoders: Record<ImageKind, string> = {
  avif: 'VipsForeignLoadHeifBuffer',
  webp: 'VipsForeignLoadWebpBuffer',
  png: 'VipsForeignLoadPngBuffer',
  jpg: 'VipsForeignLoadJpegBuffer',
  gif: 'VipsForeignLoadNsgifBuffer',
};

const maxFrames = 1_000;
const maxPixels = 50_000_000;
/** The largest picture of AVIF's baseline profile. Decoding needs 18 to 26 bytes of memory for each of its pixels. */
const maxAvifPixels = 8_912_896;
/** The width and height, in pixels, of the small copy from which the dominant colour is determined. */
const sampleSize = 16;

const refuse = (reason: string): ImageRefusal => ({ code: 'refused', reason });
const refuseAsCorrupt = (reason: string): ImageRefusal => ({ code: 'unexpected-shape', reason });

/** The processor time for one image, in microseconds. The slowest legitimate images take three seconds. */
const processorLimit = 5_000_000;

const end = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', end);
process.on('message', async (bytes: Uint8Array) => {
  const before = process.cpuUsage();
  const check = () => {
    const { user, system } = process.cpuUsage(before);
    if (user + system > processorLimit) end();
  };
  const watch = setInterval(check, 100);
  const result = await verify(bytes);
  check();
  process.send?.(result);
  clearInterval(watch);
});

/** Decodes every pixel of every frame, because the headers of a file that was cut off are intact. */
async function verify(bytes: Uint8Array): Promise<VerifiedImage | ImageRefusal> {
  const format = formatOf(bytes);
  if (!format) return refuseAsCorrupt('it is not a JPEG, PNG, WebP, AVIF or GIF image');
  const corrupt = refuseAsCorrupt('it is corrupt or incomplete, or Astro cannot read it');
  // A GIF that was cut off after a frame can be decoded, and lacks its trailer (GIF89a, 27).
  if (format === 'gif' && bytes[bytes.findLastIndex((byte) => byte !== 0)] !== 0x3b) return corrupt;
  const sharp = await loadSharp().catch((error: unknown) => String(error));
  if (typeof sharp === 'string') return { code: 'sharp-missing', reason: sharp };
  try {
    // JPEG is scaled down while it is decoded, so the decoder's own limit would not count its pixels.
    const image = sharp(bytes, { failOn: 'error', limitInputPixels: false, pages: -1 });
    const { pages = 1, width, height } = await image.metadata();
    const limit = format === 'avif' ? maxAvifPixels : maxPixels;
    if (pages > maxFrames) return refuse(`it has more than ${maxFrames} frames`);
    if (width * height > limit) {
      return refuse(`as ${format.toUpperCase()}, it has more than ${limit} pixels, in all frames`);
    }
    const small = image.resize(sampleSize, sampleSize, { fit: 'fill', kernel: 'linear' });
    const frames = await small.toColourspace('srgb').ensureAlpha().raw().toBuffer();
    const color = dominantColor(frames);
    // Astro's own parser is stricter than sharp. A valid file that it cannot read would end the build, without naming the
    // article. Outside a site, the command line runs without Astro, and nothing else reads the file.
    const astro = await import('astro/assets/utils').catch(() => undefined);
    // Astro passes a buffer, too. With another array, the parser copies the rest of the file at each byte.
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = await astro?.imageMetadata(buffer);
    if (size && !(size.width > 0 && size.height > 0)) return corrupt;
    return { extension: format, ...(color && { color }) };
  } catch {
    return corrupt;
  }
}

/**
 * Returns the most frequent of 4,096 colours in the first frame; undefined if a part of it is transparent. `stats()` of sharp
 * 0.35 would take more time than decoding most images.
 */
function dominantColor(frames: Buffer): string | undefined {
  const pixels = frames.toString('hex', 0, 4 * sampleSize ** 2).match(/.{8}/g) ?? [];
  if (!pixels.every((rgba) => rgba.endsWith('ff'))) return undefined;
  // Of the two digits of red, green and blue, the first ones count.
  const groups = Map.groupBy(pixels, ([r, , g, , b]) => `#${r}8${g}8${b}8`);
  const [largest] = [...groups].sort(([, a], [, b]) => b.length - a.length);
  return largest?.[0];
}

async function loadSharp() {
  const { default: sharp } = await import('sharp');
  // Its cache would keep decoders, with memory that it does not count.
  sharp.cache(false);
  // libvips recognises more kinds than formatOf() does: an SVG may begin with a comment that is like the start of an AVIF.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: Object.values(decoders) });
  return sharp;
}

/** Recognises the format of an image by its first bytes. */
function formatOf(bytes: Uint8Array): ImageKind | undefined {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'gif';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'webp';
  // The major brand or a compatible brand may say so (ISO/IEC 14496-12, 4.3).
  if (start.startsWith('ftyp', 4) && /avi[fs]/.test(start.slice(8, 64))) return 'avif';
  return undefined;
}
