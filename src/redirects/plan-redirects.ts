import { compareText, type PathHistory } from './history.ts';
import { depthOf, type Page, pageOf } from './pages.ts';

/** A redirect between two paths, without `base`. */
export interface Redirect {
  from: string;
  to: string;
  status: 301 | 302;
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

/** A page that an article has or had. */
interface FormerPage {
  article: string;
  page: Page;
  serial: number;
}

/**
 * Plans a redirect from each path of the history for which the build has no page, to the page of the article that had it
 * last. If the build does not show that article, the path leads where the last path of the article leads: after new ids,
 * or in another collection, another article has that page. Otherwise it leads to the article that had it before.
 *
 * @returns the redirects from the newest paths first
 */
export function planRedirects(history: PathHistory, built: BuiltPages): Redirect[] {
  const lines = new Map([...history].map(([article, pages]) => [article, lineOf(article, pages)]));
  const owners = Map.groupBy([...lines.values()].flat(), ({ page }) => page.path);
  for (const all of owners.values()) all.sort((a, b) => compareOwners(a, b, built));
  const planned = [...owners].flatMap(([from, all]) => {
    const to = built.isPage(from) ? undefined : targetOf(from, { lines, owners, built });
    return to === undefined || to === from ? [] : { from, to, serial: all[0]?.serial ?? 0 };
  });
  return planned
    .sort((a, b) => b.serial - a.serial || compareText(a.from, b.from))
    .map(({ from, to }) => ({ from, to, status: 301 }));
}

/** Returns the pages of an article, the newest first. */
function lineOf(article: string, pages: ReadonlyMap<string, number>): FormerPage[] {
  return [...pages]
    .map(([name, serial]) => ({ article, page: pageOf(name), serial }))
    .sort((a, b) => b.serial - a.serial || compareText(a.page.path, b.page.path));
}

/** Compares two owners of a path: the last one, then the one that has a page at its place, then by key. */
function compareOwners(a: FormerPage, b: FormerPage, { pages }: BuiltPages): number {
  const rank = ({ article, page }: FormerPage) => {
    const current = pages.get(article) ?? [];
    if (current.some(({ place }) => place === page.place)) return 0;
    return current.length > 0 ? 1 : 2;
  };
  return b.serial - a.serial || rank(a) - rank(b) || compareText(a.article, b.article);
}

/** Returns the path of the page that a former path leads to. */
function targetOf(
  from: string,
  {
    lines,
    owners,
    built,
  }: {
    lines: ReadonlyMap<string, readonly FormerPage[]>;
    owners: ReadonlyMap<string, readonly FormerPage[]>;
    built: BuiltPages;
  },
): string | undefined {
  const open: (string | FormerPage)[] = [from];
  const seen = new Set<string>();
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each === 'string') {
      if (built.isPage(each)) return each;
      if (!seen.has(each)) open.push(...(owners.get(each) ?? []).toReversed());
      seen.add(each);
      continue;
    }
    const line = lines.get(each.article) ?? [];
    const isShown = built.pages.has(each.article) || built.isOnDemand(each.article);
    if (isShown) return currentPath(each, line, built);
    open.push(...lastPaths(each, line).toReversed());
  }
  return undefined;
}

/** Returns the path of an article's page: at the same place, or else the one that came last, then the shortest one. */
function currentPath(
  { article, page }: FormerPage,
  line: readonly FormerPage[],
  { pages }: BuiltPages,
): string | undefined {
  const current = pages.get(article) ?? [];
  const same = current.find(({ place }) => place === page.place);
  const serialOf = ({ name }: Page) => line.find((each) => each.page.name === name)?.serial ?? 0;
  const [newest] = current.toSorted(
    (a, b) => serialOf(b) - serialOf(a) || depthOf(a) - depthOf(b) || compareText(a.path, b.path),
  );
  return (same ?? newest)?.path;
}

/** Returns the last path of an article at the place of its former page, or else its last paths. */
function lastPaths({ page }: FormerPage, line: readonly FormerPage[]): string[] {
  const atPlace = line.find((each) => each.page.place === page.place);
  const isOther = atPlace !== undefined && atPlace.page.path !== page.path;
  const last = isOther ? [atPlace] : line.filter(({ serial }) => serial === line[0]?.serial);
  return last.map((each) => each.page.path);
}
