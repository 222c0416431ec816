import type { ArticlesClient } from '../client/client.ts';
import { digestOf } from '../mirror/article-file.ts';
import { hash } from '../shared/hash.ts';

/**
 * Reads the listing, and returns a digest that changes when any row changes.
 *
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function listingDigest(client: ArticlesClient, signal: AbortSignal): Promise<string> {
  const digests = new Map<string, string>();
  const { ids } = await client.survey({
    signal,
    onRows(rows) {
      for (const { id, article } of rows) if (article) digests.set(id, digestOf(article));
    },
  });
  return hash(JSON.stringify(ids.map((id) => [id, digests.get(id)])));
}
