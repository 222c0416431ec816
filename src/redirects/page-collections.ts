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
  const homes = findHomes([...places.keys()], former);
  return new Map(
    [...places].map(([place, slugs]) => [place, likeliestFirst(place, slugs, { former, homes })]),
  );
}

/** Returns the shortest place whose path has the name of a collection, by collection. */
function findHomes(places: readonly string[], former: FormerSlugs): Map<string, string> {
  const byLength = places.toSorted((a, b) => a.length - b.length || compareText(a, b));
  const homes = [...former.keys()].map(
    (name) => [name, byLength.find((place) => place.split('/').includes(name)) ?? ''] as const,
  );
  return new Map(homes.filter(([, home]) => home !== ''));
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
 * Sorts the collections of a place by the share of their slugs that it has. Those whose home is another place are last.
 * Leaves out a collection if another one has all its slugs there, and either has more of them or has its home there.
 */
function likeliestFirst(
  place: string,
  slugs: SlugsAtPlace,
  { former, homes }: { former: FormerSlugs; homes: ReadonlyMap<string, string> },
): string[] {
  const isAway = (name: string) => Number((homes.get(name) ?? place) !== place);
  const slugsOf = (name: string) => slugs.get(name) ?? new Set<string>();
  const shareOf = (name: string) => slugsOf(name).size / (former.get(name)?.size ?? 1);
  const isLikelier = (name: string, other: string) => {
    const [own, others] = [slugsOf(name), slugsOf(other)];
    if (![...others].every((slug) => own.has(slug))) return false;
    const isAtHome = homes.get(name) === place && homes.get(other) !== place;
    return own.size > others.size || isAtHome;
  };
  const names = [...slugs.keys()];
  return names
    .filter((name) => !names.some((other) => isLikelier(other, name)))
    .sort((a, b) => isAway(a) - isAway(b) || shareOf(b) - shareOf(a) || compareText(a, b));
}
