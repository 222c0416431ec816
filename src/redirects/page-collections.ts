import { compareText, type SlugHistory } from './history.ts';

/** By collection, and by current slug of an article that it shows: the former slugs, each with its serial. */
export type FormerSlugs = ReadonlyMap<string, SlugHistory>;

/** By place: the collections whose articles have their pages there. */
type PageCollections = ReadonlyMap<string, readonly string[]>;

/** The slugs of each collection that pages at one place have. */
type SlugsAtPlace = Map<string, Set<string>>;

/** Returns the place of a page: its path without one segment. Pages at one place differ in that segment only. */
export function placeOf(segments: readonly string[], index: number): string {
  return segments.with(index, '*').join('/');
}

/**
 * Finds the collections of the pages at each place. A path does not show its collection, so where collections have equal
 * slugs, all pages at its place count: with `kosten` and `pricing` in `de/*`, both are of the collection that has both.
 *
 * @param pages the paths of all pages
 * @returns the likeliest collection of a place first
 */
export function findCollections(pages: readonly string[], former: FormerSlugs): PageCollections {
  const places = new Map<string, SlugsAtPlace>();
  for (const page of pages) {
    const segments = page.split('/');
    for (const [index, slug] of segments.entries()) {
      const owners = [...former].filter(([, slugs]) => slugs.has(slug));
      for (const [collection] of owners)
        addSlug(places, placeOf(segments, index), collection, slug);
    }
  }
  return new Map(
    [...places].map(([place, slugs]) => [place, likeliestFirst(place, slugs, former)]),
  );
}

function addSlug(
  places: Map<string, SlugsAtPlace>,
  place: string,
  collection: string,
  slug: string,
): void {
  const ofPlace = places.get(place) ?? new Map<string, Set<string>>();
  const slugs = ofPlace.get(collection) ?? new Set<string>();
  places.set(place, ofPlace.set(collection, slugs.add(slug)));
}

/**
 * Sorts the collections of a place by the share of their slugs that it has. Leaves out collections that have only
 * slugs of another collection there, which has more, or is named in the path.
 */
function likeliestFirst(place: string, slugs: SlugsAtPlace, former: FormerSlugs): string[] {
  const segments = place.split('/');
  const slugsOf = (name: string) => slugs.get(name) ?? new Set<string>();
  const shareOf = (name: string) => slugsOf(name).size / (former.get(name)?.size ?? 1);
  const isLikelier = (name: string, other: string) => {
    const [own, others] = [slugsOf(name), slugsOf(other)];
    if (![...others].every((slug) => own.has(slug))) return false;
    const isNamed = segments.includes(name) && !segments.includes(other);
    return own.size > others.size || isNamed;
  };
  const names = [...slugs.keys()];
  return names
    .filter((name) => !names.some((other) => isLikelier(other, name)))
    .sort((a, b) => shareOf(b) - shareOf(a) || compareText(a, b));
}
