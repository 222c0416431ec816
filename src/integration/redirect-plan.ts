import { isSlug } from '../content/published-history.ts';

export interface Redirect {
  from: string;
  to: string;
}

/** The current slug of an article, and its former ones. */
export interface ArticleSlugs {
  slug: string;
  former: readonly string[];
}

interface Site {
  /** The paths of the pages. */
  pages: readonly string[];
  articles: readonly ArticleSlugs[];
  /** Whether the site has a file or a redirect at a path. */
  existing: (path: string) => boolean;
}

/**
 * Plans a redirect from each former path of a page to its current one. The page of an article has a path with
 * the article's slug as a segment. Targets are pages, and no existing path is redirected, so a redirect never
 * leads to another one.
 */
export function planRedirects({ pages, articles, existing }: Site): Redirect[] {
  const formerOf = formerSlugs(articles);
  const taken = new Set(pages.map(trimSlashes));
  const redirects: Redirect[] = [];
  for (const to of pages) {
    for (const from of formerPaths(to, formerOf)) {
      const path = trimSlashes(from);
      if (taken.has(path) || existing(from)) continue;
      taken.add(path);
      redirects.push({ from, to });
    }
  }
  return redirects;
}

/**
 * Collects the former slugs by current slug. Articles of two collections may have the same slug, and a path does
 * not show the collection. Texts that are not slugs are ignored: they could make a path lead out of the site.
 */
function formerSlugs(articles: readonly ArticleSlugs[]): Map<string, readonly string[]> {
  const formerOf = new Map<string, readonly string[]>();
  for (const { slug, former } of articles) {
    const all = [...(formerOf.get(slug) ?? []), ...former].filter(
      (other) => other !== slug && isSlug(other),
    );
    if (all.length > 0) formerOf.set(slug, [...new Set(all)]);
  }
  return formerOf;
}

/** Replaces each slug in a path by each of its former ones, in all combinations. */
function formerPaths(page: string, formerOf: ReadonlyMap<string, readonly string[]>): string[] {
  const segments = page.split('/');
  const slugs = new Set(segments.filter((segment) => formerOf.has(segment)));
  let paths = [segments];
  for (const slug of slugs) {
    const replace = (other: string) => (path: string[]) =>
      path.map((segment, at) => (segments[at] === slug ? other : segment));
    paths = [slug, ...(formerOf.get(slug) ?? [])].flatMap((other) => paths.map(replace(other)));
  }
  return paths.slice(1).map((path) => path.join('/'));
}

/** Removes the slashes at both ends of a path. */
export function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
