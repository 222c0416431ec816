import type { IndexedArticle } from '../mirror/index-file.ts';
import type { ListedRow, Listing } from './list.ts';

/** The work of a load, by id. */
export interface Plan {
  /** Articles whose version in the mirror is current. They need no request. */
  current: Map<string, IndexedArticle>;
  /** Ids to fetch, each with its row. */
  fetch: Map<string, ListedRow>;
  /** Ids in the mirror that are missing in the listing, but not proven gone. They are requested, too. */
  absent: string[];
}

export interface PlanOptions {
  /** The mirror's articles, by id. */
  before: ReadonlyMap<string, IndexedArticle>;
  trustList: boolean;
  /** Whether the mirror has the text of an article. */
  hasArticle: (object: string) => boolean;
}

/** Compares the listing with the mirror. An article whose row has an unchanged digest is not fetched. */
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
  return { current, fetch, absent: [...before.keys()].filter((id) => !decided.has(id)) };
}

function unchanged(
  { id, digest, cover }: ListedRow,
  { before, trustList, hasArticle }: PlanOptions,
): IndexedArticle | undefined {
  const known = before.get(id);
  // A row shows the changes of its article only if it once equalled the fetched article. A row that was used
  // as the article is sufficient only with `trustList`.
  const isProof = known?.row === 'same' || (known?.row === 'source' && trustList);
  if (!isProof || digest !== known.digest || !hasArticle(known.object)) return undefined;
  return { ...known, cover: cover ?? null };
}
