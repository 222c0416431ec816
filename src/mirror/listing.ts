import type { ArticlesClient } from '../client/index.ts';
import { hash } from '../hash.ts';
import { packArticle } from './digest.ts';

/**
 * Asks what the service lists, and gives it a name that is the same for as long as nothing in it changes.
 *
 * @returns undefined when its rows do not hold whole articles, so that they may change unseen
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function nameListing(
  client: ArticlesClient,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const digests = new Map<string, string>();
  let isWhole = true;
  const { ids, problems } = await client.survey({
    signal,
    onRows(rows) {
      for (const { id, article } of rows) {
        if (article) digests.set(id, packArticle(article).digest);
        else isWhole = false;
      }
    },
  });
  if (!isWhole) return undefined;
  return hash(JSON.stringify([ids.map((id) => [id, digests.get(id)]), problems]));
}
