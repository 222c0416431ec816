interface Size {
  width: number;
  height: number;
}

/** The largest part of an image with the given ratio of width to height; without one, all of it. */
export function cropTo({ width, height }: Size, ratio: number | undefined): Size {
  if (!ratio) return { width, height };
  const cropped = Math.min(width, Math.floor(height * ratio));
  return { width: cropped, height: Math.round(cropped / ratio) };
}

/** The widths that an image has enough pixels for, and its own where that is less than the largest. */
export function widthsWithin(width: number, widths: readonly number[]): number[] {
  const smaller = widths.filter((each) => each < width);
  const all = smaller.length < widths.length ? [...smaller, width] : smaller;
  return all.toSorted((a, b) => a - b);
}

/** The size to show at most: the largest of the widths, and the height that goes with it. */
export function largestOf(size: Size, widths: readonly number[]): Size {
  const width = Math.max(...widths);
  return { width, height: Math.round((width * size.height) / size.width) };
}
