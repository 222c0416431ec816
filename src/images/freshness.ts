const hour = 3_600_000;
const defaultFreshness = 24 * hour;
const maxFreshness = 30 * 24 * hour;

/**
 * Returns the date until which an image is fresh: after `max-age` (RFC 9111, 4.2.1), at most 30 days; by
 * default after a day, because an image that changes usually has a new URL.
 */
export function freshUntil(cacheControl: string | null, date: number): number {
  const age = /(?:^|[\s,])max-age=(\d+)/i.exec(cacheControl ?? '')?.[1];
  return date + (age ? Math.min(Number(age) * 1000, maxFreshness) : defaultFreshness);
}

/** Whether an image needs no request. A date too far in the future comes from a clock that was wrong. */
export function isFresh(image: { freshUntil: number }, date: number): boolean {
  return image.freshUntil > date && image.freshUntil <= date + maxFreshness;
}
