import { decodeListed, type ListedArticle } from '../client/article.ts';
import type { ArticlesClient, CallOptions } from '../client/client.ts';
import type { ListingPage } from '../client/listing/page.ts';
import type { ArticleProblem } from '../errors.ts';

/** A part of the listing. */
export interface ListingPart {
  /** Each article once, in the order of the listing. */
  listed: ListedArticle[];
  /** Rows without a usable id. */
  problems: ArticleProblem[];
}

/**
 * Reads a part of the listing: in one request, unless the service returns fewer rows at a time than
 * requested.
 */
export async function readPart(
  { limit, offset }: { limit: number; offset: number },
  {
    client,
    apiKey,
    call,
  }: { client: ArticlesClient; apiKey: string | undefined; call: CallOptions },
): Promise<ListingPart> {
  const listed = new Map<string, ListedArticle>();
  const problems: ArticleProblem[] = [];
  const count = () => listed.size + problems.length;

  for (let read = 0; read < limit; ) {
    const before = count();
    const page = await client.listPage({ limit: limit - read, offset: offset + read }, call);
    for (const value of page.rows.slice(0, limit - read)) {
      read += 1;
      const row = decodeListed(value, offset + read, apiKey);
      if ('problem' in row) problems.push(row.problem);
      else if (!listed.has(row.id)) listed.set(row.id, row);
    }
    // A service that ignores `offset` returns the same rows again.
    if (count() === before || isEnd(page, offset + read)) break;
  }
  return { listed: [...listed.values()], problems };
}

function isEnd({ count, more }: ListingPage, reached: number): boolean {
  return more === undefined ? count !== undefined && reached >= count : !more;
}
