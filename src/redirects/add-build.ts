import { type ArticlePaths, joinHistories, type PathHistory, withPages } from './history.ts';
import { pageOf } from './pages.ts';
import { type BuiltPages, planRedirects, type Redirect } from './plan-redirects.ts';

/** What a build adds a site's pages to. */
export interface KnownHistory {
  /** What the site has published; empty if nothing is published. */
  published: PathHistory;
  /** The same, with what only the mirrors have. */
  known: PathHistory;
  /** Returns whether the line of an article is not published: its article is gone, or it may be removed. */
  isRemoved(article: string): boolean;
}

/**
 * Adds the pages of a build to the history of a site, and plans its redirects. What is removed is in the history of the
 * mirrors only: where a line leaves the published one, its paths are copied to the articles that they lead to.
 *
 * @param added the pages that become public
 * @returns `all`: for the mirrors; `published`: for the site
 */
export function addBuild(
  { published, known, isRemoved }: KnownHistory,
  built: BuiltPages,
  added: BuiltPages['pages'],
): { redirects: Redirect[]; all: PathHistory; published: PathHistory } {
  const all = withPages(known, added);
  const kept = [...all].filter(([article]) => !isRemoved(article));
  const before = published.size > 0 ? published : all;
  const leaving = [...all].filter(([article]) => isRemoved(article) && before.has(article));
  const redirects = planRedirects(new Map([...kept, ...leaving]), built);
  const copies = copyPaths(leaving, redirects, added);
  return {
    redirects,
    all: joinHistories(all, copies),
    published: joinHistories(kept, copies),
  };
}

/** Returns the paths of articles as copies for the articles that they lead to. */
function copyPaths(
  leaving: readonly ArticlePaths[],
  redirects: readonly Redirect[],
  pages: BuiltPages['pages'],
): ArticlePaths[] {
  const targets = new Map(redirects.map(({ from, to }) => [from, to]));
  const names = leaving.flatMap(([, own]) => [...own.keys()]);
  const byTarget = Map.groupBy(names, (name) => targets.get(pageOf(name).path));
  return [...pages].map(([article, own]): ArticlePaths => {
    const copied = own.flatMap(({ path }) => byTarget.get(path) ?? []);
    return [article, new Map(copied.map((name) => [name, 0]))];
  });
}
