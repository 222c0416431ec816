import type { IndexedArticle } from '../mirror/index-file.ts';
import type { ListedRow, Listing } from './list.ts';

/** The work of a load, by id. */
export interface Plan {
  /** Articles whose text in the mirror is the one that the service lists. They cost no request. */
  current: Map<string, IndexedArticle>;
  /** Ids to fetch, each with its row. */
  fetch: Map<string, ListedRow>;
  /** Known ids that the listing lacks without proof. They are requested, too, and the response decides. */
  absent: string[];
  /** Known ids that the service no longer has. */
  gone: string[];
}

export interface PlanOptions {
  /** The mirror's articles, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  trustList: boolean;
  /** Whether the mirror has the text of an article. */
  hasArticle: (object: string) => boolean;
}

/** Compares the listing with the mirror. A row whose digest equals the stored one costs nothing. */
export function planLoad({ rows, gone }: Listing, options: PlanOptions): Plan {
  const { before } = options;
  const current = new Map<string, IndexedArticle>();
  const fetch = new Map<string, ListedRow>();
  for (const row of rows) {
    const article = row.stored ?? unchanged(row, options);
    if (article) current.set(row.id, article);
    else fetch.set(row.id, row);
  }
  const decided = new Set([...rows.map(({ id }) => id), ...gone]);
  return { current, fetch, absent: [...before.keys()].filter((id) => !decided.has(id)), gone };
}

function unchanged(
  { id, digest, cover }: ListedRow,
  { before, trustList, hasArticle }: PlanOptions,
): IndexedArticle | undefined {
  const known = before.get(id);
  // Only a row that once equalled the fetched article shows its changes; without `trustList`, one that
  // was used as the article does not.
  const isProof = known?.row === 'same' || (known?.row === 'source' && trustList);
  if (!isProof || digest !== known.digest || !hasArticle(known.object)) return undefined;
  return { ...known, cover: cover ?? null };
}
