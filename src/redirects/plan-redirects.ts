import { isSlug } from '../render/slug.ts';

export interface Redirect {
  from: string;
  to: string;
}

/** The current slug of an article, and its former ones, oldest first. */
export interface ArticleSlugs {
  slug: string;
  former: readonly string[];
}

/** A path at which the site has a page. */
export interface PagePath {
  path: string;
  /** The page that a redirect of astro.config leads to. @default the path itself */
  to?: string;
}

interface Site {
  pages: readonly PagePath[];
  articles: readonly ArticleSlugs[];
  /** Whether the site has a file or a redirect at a path. */
  existing: (path: string) => boolean;
}

/**
 * Plans a redirect from each former path of a page to its current one. The page of an article has a path with
 * the article's slug as a segment. Targets are pages, and no existing path is redirected, so a redirect never
 * leads to another one. A path that several pages had before leads to the one that had it last.
 *
 * @returns the redirects from the newest slugs of each article first
 */
export function planRedirects({ pages, articles, existing }: Site): Redirect[] {
  const formerOf = formerSlugs(articles);
  const taken = new Set(pages.map(({ path }) => trimSlashes(path)));
  const candidates = pages.flatMap(({ path: page, to = page }) =>
    formerPaths(page, formerOf).map((from, age) => ({ from, to, age })),
  );
  candidates.sort((a, b) => a.age - b.age);
  return candidates.flatMap(({ from, to }) => {
    const path = trimSlashes(from);
    if (taken.has(path) || existing(from)) return [];
    taken.add(path);
    return [{ from, to }];
  });
}

/**
 * Collects the former slugs by current slug, the newest one first. Articles of two collections may have the same
 * slug, and a path does not show the collection. Texts that are not slugs are ignored: they could make a path lead
 * out of the site.
 */
function formerSlugs(articles: readonly ArticleSlugs[]): Map<string, readonly string[]> {
  const formerOf = new Map<string, readonly string[]>();
  for (const { slug, former } of articles) {
    const newestFirst = former.filter(isSlug).toReversed();
    const all = [...newestFirst, ...(formerOf.get(slug) ?? [])];
    if (all.length > 0) formerOf.set(slug, [...new Set(all)]);
  }
  return formerOf;
}

/** Replaces each slug in a path by itself and each of its former ones, in all combinations. */
function formerPaths(page: string, formerOf: ReadonlyMap<string, readonly string[]>): string[] {
  const segments = page.split('/');
  let paths = [segments];
  for (const slug of new Set(segments)) {
    const replace = (other: string) => (path: string[]) =>
      path.map((segment, at) => (segments[at] === slug ? other : segment));
    paths = [slug, ...(formerOf.get(slug) ?? [])].flatMap((other) => paths.map(replace(other)));
  }
  return paths.map((path) => path.join('/'));
}

export function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
