import { decodeListed, type ListedArticle } from '../client/article.ts';
import type { ArticleProblem } from '../errors.ts';
import { titleDecoder } from '../render/text.ts';
import type { LiveLoad } from './live-options.ts';

/**
 * Reads a part of the listing: in one request, unless the service returns fewer rows at a time than
 * requested.
 *
 * @param problems collects the rows without a usable id
 * @returns each article once, in the order of the listing
 */
export async function readPart(
  { limit, offset }: { limit: number; offset: number },
  { client, call, settings }: LiveLoad,
  problems: ArticleProblem[],
): Promise<ListedArticle[]> {
  const listed = new Map<string, ListedArticle>();
  const found = () => listed.size + problems.length;

  for (let read = 0; read < limit; ) {
    const before = found();
    const page = await client.listPage({ limit: limit - read, offset: offset + read }, call);
    for (const value of page.rows.slice(0, limit - read)) {
      read += 1;
      const row = decodeListed(value, offset + read, {
        apiKey: settings.apiKey,
        decodeTitle: titleDecoder(settings.format),
      });
      if ('problem' in row) problems.push(row.problem);
      else if (!listed.has(row.id)) listed.set(row.id, row);
    }
    // A service that ignores `offset` returns the same rows again.
    if (page.more === false || found() === before) break;
  }
  return [...listed.values()];
}
