import { createArticlesClient } from '../../client/client.ts';
import { readListing } from '../../client/listing/reading.ts';
import { ArticlesListingError, describeProblem } from '../../errors.ts';
import { digestOf } from '../../mirror/stored-article.ts';
import type { ResolvedOptions } from '../../options/options.ts';
import { titleDecoder } from '../../render/html-text.ts';
import { systemClock } from '../../shared/clock.ts';
import type { ListedRow } from '../../sync/list.ts';
import { type Sample, sampleRows } from '../../sync/sample.ts';

const timeLimit = 300_000;

/**
 * Reads a few pages of the listing, without a site.
 *
 * @returns the rows, and what is wrong with the listing
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function readSample(
  options: ResolvedOptions,
): Promise<{ sample: Sample; notices: string[] }> {
  const rows = new Map<string, ListedRow>();
  const { pageSize, concurrency, apiKey } = options;
  const decodeTitle = titleDecoder(options.format);
  const client = createArticlesClient(options, { decodeTitle });
  const { ids, problems, doubt, count } = await readListing(client, {
    pageSize,
    concurrency,
    apiKey,
    decodeTitle,
    newest: sampleRows(options),
    onRows(page) {
      for (const { id, extra, title, article } of page) {
        rows.set(id, { id, extra, title, digest: article && digestOf(article) });
      }
    },
    call: { deadline: systemClock.now() + timeLimit },
  });
  if (ids.length === 0 && problems.length === 0) {
    throw new ArticlesListingError('mass-removal', 'The service lists no articles.', {
      hint: 'Publish an article, or check whether the key belongs to another project.',
    });
  }
  const notices = problems.map(describeProblem);
  if (doubt) notices.push(`The listing is unreliable, because ${doubt.reason}.`);
  return { sample: { rows: ids.flatMap((id) => rows.get(id) ?? []), count }, notices };
}
