import { keepOf } from '../client/article.ts';
import type { ArticlesClient } from '../client/client.ts';
import { digestOf } from '../mirror/article-file.ts';
import { hash } from '../shared/hash.ts';

/**
 * Asks what the service lists, and gives it a name that changes with anything that its rows tell.
 *
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function nameListing(client: ArticlesClient, signal: AbortSignal): Promise<string> {
  const digests = new Map<string, string>();
  const { ids } = await client.surveyRows(({ read }) => keepOf(read(), digestOf), {
    signal,
    onRows(rows) {
      for (const { id, article } of rows) if (article) digests.set(id, article);
    },
  });
  return hash(JSON.stringify(ids.map((id) => [id, digests.get(id)])));
}
