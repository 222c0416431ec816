import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isProven } from './indexed-article.ts';
import type { Listing, RowToFetch } from './list.ts';
import { isUpToDate } from './summary-rows.ts';

/** An article to prepare. `known` is the version in the mirror. */
export type ArticleTask =
  | { action: 'fetch'; id: string; row: RowToFetch; known?: IndexedArticle | undefined }
  | { action: 'keep'; id: string; known: IndexedArticle };

export interface PlanOptions
  extends Pick<ResolvedOptions, 'updatedField'>,
    Pick<Mirror, 'hasArticle'> {
  /** The mirror's articles, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
}

/**
 * Compares the listing with the mirror. An article whose row has an unchanged digest, or an unchanged
 * `updatedField`, is not fetched. Articles in the mirror that are missing in the listing, but neither proven gone
 * nor older than it, are requested, too.
 */
export function planLoad({ rows, gone, left }: Listing, options: PlanOptions): ArticleTask[] {
  const { before } = options;
  const tasks = rows.map((row): ArticleTask => {
    const { id } = row;
    if (row.kind === 'stored') return { action: 'keep', id, known: row.stored };
    const current = currentVersion(row, options);
    return current
      ? { action: 'keep', id, known: current }
      : { action: 'fetch', id, row, known: before.get(id) };
  });
  const decided = new Set([...rows.map(({ id }) => id), ...gone, ...left]);
  for (const [id, known] of before) {
    if (!decided.has(id)) tasks.push({ action: 'fetch', id, row: { kind: 'partial', id }, known });
  }
  return tasks;
}

function currentVersion(row: RowToFetch, options: PlanOptions): IndexedArticle | undefined {
  const known = options.before.get(row.id);
  if (!known) return undefined;
  if (row.kind === 'whole' && isProven(known, row.digest, options.hasArticle)) {
    return { ...known, cover: row.cover };
  }
  const isCurrent =
    isUpToDate(known, row, options.updatedField) && options.hasArticle(known.object);
  return isCurrent ? known : undefined;
}
