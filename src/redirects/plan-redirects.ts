import { type FormerPage, formerPages, type PathHistory } from './history.ts';
import type { Page } from './pages.ts';

/** A permanent redirect between two paths, without `base`. */
export interface Redirect {
  from: string;
  to: string;
}

/** The pages of a build. */
export interface BuiltPages {
  /** By article. */
  pages: ReadonlyMap<string, readonly Page[]>;
  /** Returns whether the build has a page with a path. */
  isPage(path: string): boolean;
  /** Returns whether an article without a page may have one on demand. */
  isOnDemand(article: string): boolean;
}

/**
 * Plans a redirect from each path of the history for which the build has no page, to the page of the article that had it
 * last. If the build does not show that article, the path leads where the last path of the article leads: after new ids,
 * or in another collection, another article has that page. Otherwise it leads to the article that had it before.
 *
 * @returns the redirects from the newest paths first
 */
export function planRedirects(history: PathHistory, built: BuiltPages): Redirect[] {
  // Of several articles that had a path at one time, those that have a page at its place come first, then those with any.
  const former = formerPages(history).sort((a, b) => b.serial - a.serial || rank(a) - rank(b));
  const lines = Map.groupBy(former, ({ article }) => article);
  const owners = Map.groupBy(former, ({ page }) => page.path);
  return [...owners.keys()].flatMap((from) => {
    if (built.isPage(from)) return [];
    const [to] = targetsOf(from, new Set());
    return to === undefined ? [] : { from, to };
  });

  function rank({ article, page }: FormerPage): number {
    const current = built.pages.get(article) ?? [];
    if (current.some(({ place }) => place === page.place)) return 0;
    return current.length > 0 ? 1 : 2;
  }

  function isShown({ article }: FormerPage): boolean {
    return built.pages.has(article) || built.isOnDemand(article);
  }

  /** Yields the paths of the pages that a path may lead to, the best one first; undefined for a page on demand. */
  function* targetsOf(path: string, seen: Set<string>): Generator<string | undefined> {
    if (built.isPage(path)) yield path;
    if (seen.has(path)) return;
    seen.add(path);
    for (const owner of owners.get(path) ?? []) {
      if (isShown(owner)) yield currentPath(owner);
      else for (const last of lastPaths(owner)) yield* targetsOf(last, seen);
    }
  }

  /** Returns the path of an article's page: at the same place, or else the one that came last. */
  function currentPath({ article, page }: FormerPage): string | undefined {
    const current = built.pages.get(article) ?? [];
    const newest = lines
      .get(article)
      ?.find((each) => current.some(({ name }) => name === each.page.name));
    const same = current.find(({ place }) => place === page.place);
    return (same ?? newest?.page ?? current[0])?.path;
  }

  /** Returns the last path of an article at the place of its former page, and then its last paths. */
  function lastPaths({ article, page }: FormerPage): string[] {
    const line = lines.get(article) ?? [];
    const atPlace = line.filter((each) => each.page.place === page.place).slice(0, 1);
    const last = line.filter(({ serial }) => serial === line[0]?.serial);
    return [...atPlace, ...last].map((each) => each.page.path);
  }
}
