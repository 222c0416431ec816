import * as z from 'zod';
import { parseJson } from '../shared/json-value.ts';
import { pathKey } from '../shared/slug.ts';
import { isPageName, type Page, pageOf } from './pages.ts';

/**
 * By article: the names of the pages that builds have published, each with the serial of the build that last took it up,
 * or 0 if it was copied from an article that is gone. In a mirror the articles have their ids; in what a site publishes, ids
 * with the names of their collections. Histories are joined, in any order, and no part replaces another.
 */
export type PathHistory = ReadonlyMap<string, ReadonlyMap<string, number>>;

export type ArticlePaths = readonly [article: string, pages: ReadonlyMap<string, number>];

const lineSchema = z.tuple([z.string(), z.array(z.tuple([z.string(), z.int32().min(0)]))]);

/** Joins histories, also of an article that one part has twice. A page keeps its highest serial. */
export function joinHistories(...parts: readonly Iterable<ArticlePaths>[]): PathHistory {
  const joined = new Map<string, Map<string, number>>();
  for (const part of parts) {
    for (const [article, pages] of part) {
      const all = joined.get(article) ?? new Map<string, number>();
      for (const [name, serial] of pages) all.set(name, Math.max(serial, all.get(name) ?? 0));
      joined.set(article, all);
    }
  }
  return joined;
}

/** Returns a history without the lines of some articles. */
export function withoutArticles(history: PathHistory, articles: Iterable<string>): PathHistory {
  const without = new Map(history);
  for (const article of articles) without.delete(article);
  return without;
}

/** Returns a history without the pages that were copied from articles that are gone. */
export function withoutCopies(history: PathHistory): PathHistory {
  const own = [...history].map(([article, pages]): ArticlePaths => {
    return [article, new Map([...pages].filter(([, serial]) => serial > 0))];
  });
  return new Map(own.filter(([, pages]) => pages.size > 0));
}

/** A page that an article has or had. */
export interface FormerPage {
  article: string;
  page: Page;
  serial: number;
}

/** Returns all pages of a history, the newest first, and else in the order of their articles and paths. */
export function formerPages(history: PathHistory): FormerPage[] {
  const all = [...history.keys()].sort().flatMap((article) => {
    const pages = [...(history.get(article) ?? [])];
    return pages
      .map(([name, serial]) => ({ article, page: pageOf(name), serial }))
      .sort((a, b) => (a.page.path < b.page.path ? -1 : 1));
  });
  return all.sort((a, b) => b.serial - a.serial);
}

/**
 * Adds the pages that a build publishes. A page gets the next serial if it is new to one of its articles, or if since then
 * such an article had a page that it has no longer, or another article had this path. So a build that changes no page
 * changes nothing, and of articles that share a page, none had it last.
 */
export function withPages(
  history: PathHistory,
  pages: ReadonlyMap<string, readonly Page[]>,
): PathHistory {
  const former = formerPages(history);
  const last = new Map(former.toReversed().map(({ page, serial }) => [page.path, serial]));
  const next = (former[0]?.serial ?? 0) + 1;
  const taken = new Set(
    [...pages].flatMap(([article, current]) => {
      const own = history.get(article);
      const left = new Map(own);
      for (const { name } of current) left.delete(name);
      return current.flatMap(({ name, path }) => {
        const since = Math.max(last.get(path) ?? 0, ...left.values());
        // A copy has the serial 0, and is new.
        return (own?.get(name) || -1) < since ? path : [];
      });
    }),
  );
  const added = [...pages].map(([article, current]): ArticlePaths => {
    const names = current.filter(({ path }) => taken.has(path)).map(({ name }) => name);
    return [article, new Map(names.map((name) => [name, next]))];
  });
  return joinHistories(history, added);
}

/** Returns the article that had each slug last, by `pathKey()`: of several with one serial, the first one by its id. */
export function lastOwners(history: PathHistory): Map<string, string> {
  const oldestFirst = formerPages(history).toReversed();
  return new Map(oldestFirst.map(({ article, page }) => [pathKey(page.slug), article]));
}

const firstLine = '{"format":"astro-articles paths 1"}';
const lastLine = '{"end":true}';

/**
 * Encodes a history as lines of JSON, one for each article, in an order that is the same on each machine. Equal histories
 * give equal texts. Formatters of JSON leave such a file unchanged.
 */
export function encodeHistory(history: PathHistory): string {
  const lines = [...history].map(
    ([article, pages]) => `${JSON.stringify([article, [...pages].sort()])}\n`,
  );
  return `${firstLine}\n${lines.sort().join('')}${lastLine}\n`;
}

/**
 * Decodes a history, each line by itself, so that a merge by Git costs only the lines that it has spoilt. An article may
 * have the lines of two branches, which are joined. Returns undefined for JSON of another program.
 *
 * @param place of the file, for `notice`
 */
export function decodeHistory(text: string, place: string) {
  if (parseJson(text) !== undefined && !text.startsWith(firstLine)) return;
  const all = text.split('\n').map((line) => line.trim());
  const lines = all.filter((line) => !['', firstLine, lastLine].includes(line));
  const articles = lines.flatMap((line) => articleOfLine(parseJson(line)));
  const isWhole = text.startsWith(firstLine) && text.trimEnd().endsWith(lastLine);
  const spoilt = lines.length - articles.length;
  const effect = 'Former URLs of their articles may have no redirects from now on.';
  const notice = spoilt > 0 ? `${place} has spoilt lines: ${spoilt}. ${effect}` : undefined;
  return { history: joinHistories(articles), notice, isWhole };
}

function articleOfLine(value: unknown): [ArticlePaths] | [] {
  const [article = '', pairs = []] = lineSchema.safeParse(value).data ?? [];
  const pages = pairs.filter(([name]) => isPageName(name));
  return pages.length > 0 ? [[article, new Map(pages)]] : [];
}
