import { type ImageKind, imageKinds } from '../shared/image-kinds.ts';

// Only the sharp of Astro 6 needs this file. Half a year after Astro 8, when support for Astro 6 ends, remove this file,
// `oldestSharp` of a site's packages, `astroSharp` of a load, and the row `old-sharp` of `report/seen-table.ts`.

/** The first version of sharp whose decoders of GIF (GHSA-f88m-g3jw-g9cj) and AVIF (GHSA-rgj7-g3m4-5g8c) are fixed. */
const firstSafe = '0.35.4';

/**
 * Returns the kinds of images that Astro may decode.
 *
 * @param sharp the oldest version of sharp that Astro may load. Without one, it decodes nothing
 */
export function safeKinds(sharp: string | undefined): readonly ImageKind[] {
  if (sharp === undefined || compareVersions(sharp, firstSafe) >= 0) return imageKinds;
  return imageKinds.filter((kind) => kind !== 'gif' && kind !== 'avif');
}

export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
