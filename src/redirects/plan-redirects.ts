import { compareText, type FormerSlugs } from './history.ts';

export interface Redirect {
  from: string;
  to: string;
}

/** The paths of a page, its current one included, so that a file cannot make a build write millions. */
const maxPaths = 1_000;

/**
 * Plans a redirect from each former path of a page to its current one. The page of an article has a path with
 * the article's slug as a segment.
 *
 * @param pages the paths of all pages
 * @returns the redirects from the newest paths first, so a path that several pages had belongs to its first redirect
 */
export function planRedirects(pages: readonly string[], former: FormerSlugs): Redirect[] {
  const planned = pages.flatMap((to) =>
    formerPaths(to, former).map(({ path, serial }) => ({ from: path.join('/'), to, serial })),
  );
  return planned.sort(
    (a, b) => b.serial - a.serial || compareText(a.to, b.to) || compareText(a.from, b.from),
  );
}

/**
 * Replaces each slug in a path by itself and each of its former ones, in all combinations. Articles of two
 * collections may have the same slug, and a path does not show the collection.
 */
function formerPaths(page: string, former: FormerSlugs) {
  const segments = page.split('/');
  let paths = [{ path: segments, serial: Number.POSITIVE_INFINITY }];
  for (const current of new Set(segments)) {
    const newestFirst = [...(former.get(current) ?? [])].sort(([, a], [, b]) => b - a);
    const room = Math.floor(maxPaths / paths.length) - 1;
    const replaced = newestFirst.slice(0, room).flatMap(([slug, serial]) =>
      paths.map((other) => ({
        path: other.path.map((segment, at) => (segments[at] === current ? slug : segment)),
        // A path is as old as its oldest part.
        serial: Math.min(serial, other.serial),
      })),
    );
    paths = [...paths, ...replaced];
  }
  return paths.slice(1);
}
