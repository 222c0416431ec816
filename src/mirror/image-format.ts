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
 * Says what is wrong with an image, or nothing. It is decoded to its last pixel: headers of cut-off
 * files look right.
 */
export async function imageFault(
  bytes: Uint8Array,
  maxPixels: number,
): Promise<string | undefined> {
  try {
    await sharp(bytes, { failOn: 'error', limitInputPixels: maxPixels })
      .resize(1, 1)
      .raw()
      .toBuffer();
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    return /pixel limit/i.test(message)
      ? `it has more than ${maxPixels} pixels (\`images.maxPixels\`)`
      : 'it is damaged or incomplete';
  }
}
