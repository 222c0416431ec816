/**
 * Returns the dominant colour of pixels, as `#rrggbb`: the mean of those in the largest group of similar ones. Returns
 * `undefined` when one of them is not opaque, because the colour would show through.
 *
 * @param pixels bytes in the order red, green, blue, alpha
 */
export function dominantColor(pixels: Uint8Array): string | undefined {
  const groups = new Map<number, { count: number; sum: [number, number, number] }>();
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4);
    if (alpha < 255) return undefined;
    // Four levels of each channel.
    const key = ((red >> 6) << 4) | ((green >> 6) << 2) | (blue >> 6);
    const { count = 0, sum: [r, g, b] = [0, 0, 0] } = groups.get(key) ?? {};
    groups.set(key, { count: count + 1, sum: [r + red, g + green, b + blue] });
  }
  const [largest] = [...groups.values()].sort((a, b) => b.count - a.count);
  if (!largest) return undefined;
  const channels = largest.sum.map((sum) => Math.round(sum / largest.count));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
