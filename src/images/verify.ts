import pLimit from 'p-limit';
import { ArticlesError } from '../errors.ts';
import { FailureError } from '../http/failure.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { dominantColor } from './dominant-color.ts';
import { rasteriseSvg } from './rasterise-svg.ts';

type ImageLimits = Pick<ResolvedOptions['images'], 'svg' | 'maxBytes' | 'maxPixels'>;

/** Decoding needs up to 19 bytes of memory for each pixel (AVIF), so one image is decoded at a time. */
const decoding = pLimit(1);
/** Converting an SVG image may take its whole time limit, in a process of its own. */
const converting = pLimit(2);

/** An image that can be published. */
export interface VerifiedImage {
  bytes: Uint8Array;
  extension: string;
  /** Width times height, for all frames. */
  pixels: number;
  /** Its dominant colour, as `#rrggbb`. Absent when a part of the image is transparent. */
  color?: string;
  isFromSvg?: true;
}

/**
 * Verifies the bytes of a response. The format is that of the bytes, regardless of the URL and `content-type`. Every
 * pixel is decoded, because the headers of a file that was cut off are intact. An SVG image becomes a PNG, because SVG
 * can contain script.
 *
 * @throws {FailureError} when the image cannot be used
 * @throws {ArticlesError} `sharp-missing`
 */
export async function verifyImage(bytes: Uint8Array, limits: ImageLimits): Promise<VerifiedImage> {
  const format = sniff(bytes);
  if (!format) throw unusable('it is not a JPEG, PNG, WebP, AVIF or GIF image');
  if (format === 'svg') {
    if (!limits.svg)
      throw refused('it is an SVG image; set `images.svg` to convert SVG images to PNG');
    const png = await converting(() => rasteriseSvg(bytes, limits));
    return { ...(await verifyImage(png, limits)), isFromSvg: true };
  }
  const sharp = await loadSharp();
  const facts = await decoding(() => decode(bytes, sharp, limits));
  // A valid file that Astro cannot read would end the build, without naming the article.
  if (!(await isReadByAstro(bytes))) {
    throw refused(
      'Astro cannot read this image, although it is valid; save it again with another program',
    );
  }
  return { bytes, extension: format === 'jpeg' ? 'jpg' : format, ...facts };
}

type Format = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif';

/** Recognises the format of an image by its first bytes. */
export function sniff(bytes: Uint8Array): Format | 'svg' | undefined {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'gif';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'webp';
  // The brand may be the major one or among the compatible ones (ISO/IEC 14496-12, 4.3).
  if (start.startsWith('ftyp', 4) && /avi[fs]/.test(start.slice(8, 64))) return 'avif';
  const isXml = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!doctype svg|svg)/i.test(start);
  return isXml && /<svg[\s>/]/i.test(start) ? 'svg' : undefined;
}

type Sharp = typeof import('sharp')['default'];

async function loadSharp(): Promise<Sharp> {
  try {
    return (await import('sharp')).default;
  } catch (cause) {
    throw new ArticlesError(
      'sharp-missing',
      'The package sharp, which verifies images, could not be loaded.',
      {
        cause,
        hint: "Install it: `npm install sharp`, or `pnpm add sharp`. Or set `images.covers: 'remote'`.",
      },
    );
  }
}

/** The width and height, in pixels, of the small copy from which the dominant colour is determined. */
const sampleSize = 16;

/** Decodes every pixel of every frame. Returns their number and the dominant colour of the first frame. */
async function decode(
  bytes: Uint8Array,
  sharp: Sharp,
  { maxPixels }: ImageLimits,
): Promise<Pick<VerifiedImage, 'pixels' | 'color'>> {
  const corrupt = unusable('it is corrupt or incomplete');
  if (sniff(bytes) === 'gif' && !endsLikeGif(bytes)) throw corrupt;
  // JPEG is scaled down while it is decoded, so the decoder's own limit would not count its pixels.
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: false, pages: -1 });
  try {
    const { width, height } = await image.metadata();
    const pixels = width * height;
    if (pixels > maxPixels) {
      throw refused(`it has more than ${maxPixels} pixels (\`images.maxPixels\`)`);
    }
    const small = image.resize(sampleSize, sampleSize, { fit: 'fill', kernel: 'linear' });
    const decoded = await small.toColourspace('srgb').ensureAlpha().raw().toBuffer();
    const color = dominantColor(decoded.subarray(0, 4 * sampleSize ** 2));
    return { pixels, ...(color ? { color } : {}) };
  } catch (error) {
    throw error instanceof FailureError ? error : corrupt;
  }
}

/** Whether a GIF has its trailer (GIF89a, 27). One that was cut off after a frame can be decoded. */
function endsLikeGif(bytes: Uint8Array): boolean {
  return bytes[bytes.findLastIndex((byte) => byte !== 0)] === 0x3b;
}

/** Whether Astro's own parser, which is stricter than sharp, accepts a file. */
async function isReadByAstro(bytes: Uint8Array): Promise<boolean> {
  // Outside a site, the command line runs without Astro, and nothing else reads the file.
  const astro = await import('astro/assets/utils').catch(() => undefined);
  if (!astro) return true;
  try {
    const { width, height } = await astro.imageMetadata(bytes);
    return width > 0 && height > 0;
  } catch {
    return false;
  }
}

/** Returns a failure that is retried, because another attempt may receive the image intact. */
function unusable(reason: string): FailureError {
  return new FailureError({ code: 'unexpected-shape', reason });
}

/** Returns a failure that is not retried. */
function refused(reason: string): FailureError {
  return new FailureError({ code: 'refused', reason });
}
