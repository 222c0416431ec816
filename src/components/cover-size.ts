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

/** Returns the widths that a cover is offered in, none larger than its crop, and the size of the largest one. */
export function offeredSizes(
  cover: Size,
  ratio: number | undefined,
  wanted: readonly number[],
): Size & { widths: number[] } {
  const size = cropTo(cover, ratio);
  // Astro sorts them, and leaves out those that are equal.
  const widths = wanted.map((width) => Math.min(width, size.width));
  return { ...largestOf(size, widths), widths };
}

/** Returns the largest of the widths, and the height that belongs to it. */
export function largestOf(size: Size, widths: readonly number[]): Size {
  const width = Math.max(...widths);
  return { width, height: Math.round((width * size.height) / size.width) };
}
