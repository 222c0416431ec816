import type { IndexedArticle } from '../mirror/index-file.ts';
import { isProven } from './indexed-article.ts';
import type { ListedRow, Listing } from './list.ts';

/** An article to prepare. */
export interface Task {
  id: string;
  /** The row of an article to fetch; absent when the mirror has the current version. */
  row?: ListedRow;
  /** The version in the mirror. */
  known?: IndexedArticle | undefined;
}

export interface PlanOptions {
  /** The mirror's articles, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  trustList: boolean;
  /** Whether the mirror has the text of an article. */
  hasArticle: (object: string) => boolean;
}

/**
 * Compares the listing with the mirror. An article whose row has an unchanged digest is not fetched. Articles in
 * the mirror that are missing in the listing, but not proven gone, are requested, too.
 *
 * @returns the articles to fetch, and then the others
 */
export function planLoad({ rows, gone }: Listing, options: PlanOptions): Task[] {
  const { before } = options;
  const tasks = rows.map((row): Task => {
    const { id } = row;
    const current = row.stored ?? currentVersion(row, options);
    return current ? { id, known: current } : { id, row, known: before.get(id) };
  });
  const decided = new Set([...rows.map(({ id }) => id), ...gone]);
  for (const [id, known] of before) if (!decided.has(id)) tasks.push({ id, row: { id }, known });
  return [...tasks.filter(({ row }) => row), ...tasks.filter(({ row }) => !row)];
}

function currentVersion(
  { id, digest, cover }: ListedRow,
  options: PlanOptions,
): IndexedArticle | undefined {
  const known = options.before.get(id);
  return known && isProven(known, digest, options) ? { ...known, cover: cover ?? null } : undefined;
}
