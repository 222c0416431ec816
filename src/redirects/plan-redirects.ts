import { compareText, type SlugHistory } from './history.ts';
import { type FormerSlugs, findCollections, placeOf } from './page-collections.ts';
import { ownsPath, type Route } from './route-paths.ts';

export interface Redirect {
  from: string;
  to: string;
}

/** A slug that a page may have had in place of its current one. */
interface FormerSlug {
  slug: string;
  /** How long ago its article had it: serials of the same history, and not of two, can be compared. */
  age: number;
  /** The place of its collection among the collections that may have the page: 0 is the likeliest. */
  rank: number;
}

/** The maximum number of paths of a page, its current one included: a published file could make millions. */
const maxPaths = 1_000;

/**
 * Plans a redirect from each former path of a page to its current one. The page of an article has a path with
 * the article's slug as a segment. Paths of other routes are left out. A path that pages of two collections may have had
 * belongs to the likeliest collection.
 *
 * @param pages the paths of all pages
 * @param routes the routes of the site, of all kinds
 * @returns the redirects from the newest paths first, each from another path
 */
export function planRedirects(
  pages: readonly string[],
  former: FormerSlugs,
  routes: readonly Route[],
): Redirect[] {
  const slugsAt = formerSlugsAt(pages, former);
  const planned = pages
    .flatMap((to) => formerPaths(to, slugsAt).map((path) => ({ ...path, to })))
    .filter(({ from, to }) => !routes.some((route) => ownsPath(route, from, to)))
    .sort((a, b) => a.rank - b.rank || a.age - b.age || compareText(a.to, b.to));
  const likeliest = new Map<string, (typeof planned)[number]>();
  for (const redirect of planned) {
    if (!likeliest.has(redirect.from)) likeliest.set(redirect.from, redirect);
  }
  return [...likeliest.values()]
    .sort((a, b) => a.age - b.age || compareText(a.to, b.to) || compareText(a.from, b.from))
    .map(({ from, to }) => ({ from, to }));
}

/** Returns the former slugs of the article that a segment of a path may show, the newest of each collection first. */
type SlugsAt = (segments: readonly string[], index: number) => FormerSlug[];

function formerSlugsAt(pages: readonly string[], former: FormerSlugs): SlugsAt {
  const collections = findCollections(pages, former);
  const newest = new Map([...former].map(([name, slugs]) => [name, newestSerial(slugs)]));
  return (segments, index) => {
    const names = collections.get(placeOf(segments, index)) ?? [];
    return names.flatMap((name, rank) => {
      const slugs = [...(former.get(name)?.get(segments[index] ?? '') ?? [])];
      const last = newest.get(name) ?? 0;
      return slugs
        .map(([slug, serial]) => ({ slug, age: 1 + last - serial, rank }))
        .sort((a, b) => a.age - b.age);
    });
  };
}

function newestSerial(former: SlugHistory): number {
  let newest = 0;
  for (const slugs of former.values()) {
    for (const serial of slugs.values()) newest = Math.max(newest, serial);
  }
  return newest;
}

/** Replaces each slug in a path by itself and each of its former slugs, in all combinations. */
function formerPaths(page: string, slugsAt: SlugsAt): Omit<FormerSlug & Redirect, 'slug' | 'to'>[] {
  const segments = page.split('/');
  let paths = [{ from: '', age: 0, rank: 0 }];
  for (const [index, current] of segments.entries()) {
    const slugs = [{ slug: current, age: 0, rank: 0 }, ...slugsAt(segments, index)];
    paths = paths
      .flatMap(({ from, age, rank }) =>
        // A path is as old, and as doubtful, as its worst part.
        slugs.slice(0, maxPaths).map((each) => ({
          from: `${from}/${each.slug}`,
          age: Math.max(age, each.age),
          rank: Math.max(rank, each.rank),
        })),
      )
      .slice(0, maxPaths);
  }
  return paths.slice(1).map((path) => ({ ...path, from: path.from.slice(1) }));
}
