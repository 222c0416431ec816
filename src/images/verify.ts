import sharp from 'sharp';

/** The extension of an image, told by its first bytes; never by its name or `content-type`. */
export function sniff(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 64)).toString(
    'latin1',
  );
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp';
  // The brand may be the major one or among the compatible ones (ISO/IEC 14496-12, 4.3).
  if (text.startsWith('ftyp', 4) && /avi[fs]/.test(text.slice(8))) return 'avif';
  return undefined;
}

/**
 * Says what is wrong with an image, or nothing. It is decoded to the last pixel of its last frame:
 * the headers of files that were cut off look right.
 */
export async function imageFault(
  bytes: Uint8Array,
  maxPixels: number,
): Promise<{ reason: string; transient: boolean } | undefined> {
  const damaged = { reason: 'it is damaged or incomplete', transient: true };
  try {
    const image = sharp(bytes, { failOn: 'error', limitInputPixels: false, pages: -1 });
    // JPEG is scaled down while it is decoded, so the decoder's own limit would not count its pixels.
    const { width, height } = await image.metadata();
    if (width * height > maxPixels) {
      const reason = `it has more than ${maxPixels} pixels (\`images.maxPixels\`)`;
      return { reason, transient: false };
    }
    await image.resize(1, 1, { fit: 'fill' }).raw().toBuffer();
    return sniff(bytes) === 'gif' && !endsLikeGif(bytes) ? damaged : undefined;
  } catch {
    return damaged;
  }
}

/** A GIF that lacks its last frames decodes well; only its trailer is missing (GIF89a, 27). */
function endsLikeGif(bytes: Uint8Array): boolean {
  return bytes[bytes.findLastIndex((byte) => byte !== 0)] === 0x3b;
}
