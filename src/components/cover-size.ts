interface Size {
  width: number;
  height: number;
}

/** Returns the largest size with a ratio of width to height that fits into an image. */
export function cropTo({ width, height }: Size, ratio: number | undefined): Size {
  if (!ratio) return { width, height };
  const cropped = Math.max(1, Math.min(width, Math.floor(height * ratio)));
  return { width: cropped, height: Math.max(1, Math.round(cropped / ratio)) };
}

/** Returns the largest of the widths, and the height that belongs to it. */
export function largestOf(size: Size, widths: readonly number[]): Size {
  const width = Math.max(...widths);
  return { width, height: Math.round((width * size.height) / size.width) };
}
