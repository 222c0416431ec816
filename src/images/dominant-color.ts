/**
 * Returns the dominant colour of pixels (red, green, blue, alpha), as `#rrggbb`: the mean of those in the largest group
 * of similar ones. Returns `undefined` when one of them is not opaque, because the colour would show through.
 */
export function dominantColor(bytes: Uint8Array): string | undefined {
  const pixels = Array.from({ length: bytes.length / 4 }, (_, index) =>
    bytes.subarray(4 * index, 4 * index + 4),
  );
  if (pixels.some((pixel) => pixel[3] !== 255)) return undefined;
  // Four levels of each channel.
  const groups = Map.groupBy(pixels, (pixel) => pixel.map((channel) => channel >> 6).join());
  const [largest] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (!largest) return undefined;
  const meanOf = (channel: number) =>
    Math.round(largest.reduce((sum, pixel) => sum + (pixel[channel] ?? 0), 0) / largest.length);
  return `#${Buffer.from([0, 1, 2].map(meanOf)).toString('hex')}`;
}
