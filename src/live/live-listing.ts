import { decodeListed, type ListedArticle } from '../client/article.ts';
import type { ArticlesClient, CallOptions } from '../client/client.ts';
import type { ListingPage } from '../client/listing/page.ts';
import type { ArticleProblem } from '../errors.ts';

/** A part of the listing. */
export interface Rows {
  /** Each article once, in the order of the listing. */
  listed: ListedArticle[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
}

/**
 * Reads a part of the listing: in one request, unless the service gives fewer rows at once than it
 * was asked for.
 */
export async function readRows(
  client: ArticlesClient,
  { limit, offset }: { limit: number; offset: number },
  call: CallOptions,
): Promise<Rows> {
  const listed = new Map<string, ListedArticle>();
  const problems: ArticleProblem[] = [];
  const known = () => listed.size + problems.length;

  for (let taken = 0; taken < limit; ) {
    const before = known();
    const page = await client.listPage({ limit: limit - taken, offset: offset + taken }, call);
    for (const value of page.rows.slice(0, limit - taken)) {
      taken += 1;
      const row = decodeListed(value, offset + taken);
      if ('problem' in row) problems.push(row.problem);
      else if (!listed.has(row.id)) listed.set(row.id, row);
    }
    // A service that ignores `offset` gives the same rows again.
    if (known() === before || isEnd(page, offset + taken)) break;
  }
  return { listed: [...listed.values()], problems };
}

function isEnd({ count, more }: ListingPage, reached: number): boolean {
  return more === undefined ? count !== undefined && reached >= count : !more;
}
