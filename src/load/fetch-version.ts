import { withRowFields } from '../client/article.ts';
import { storedArticle } from '../mirror/formats.ts';
import type { Load } from './load.ts';
import { fetchedRow, indexArticle, type ListedRow } from './rows.ts';

/** The time that a replica of the service may be behind. */
const maxLagMs = 60_000;

/**
 * Fetches an article and writes it to the mirror; undefined when the service responds 404 or 410, twice.
 *
 * @throws {ArticlesRequestError | ArticlesInvalidError}
 */
export async function fetchVersion(
  row: ListedRow,
  { client, mirror, options, sourceHash, call, before, idsWithOldUrls }: Load,
) {
  const fetched = await client?.getArticle(row.id, call);
  if (!fetched) return undefined;
  idsWithOldUrls.delete(row.id);
  const { rowFields, ...article } = withRowFields(fetched, row);
  const record = mirror.writeArticle(article);
  const { respondedAt = 0 } = fetched;
  const known = before.get(row.id);
  const field = typeof options.rows === 'object' ? options.rows.changedBy : undefined;
  const hasProof = field !== undefined && !row.isUnlisted;
  // A field that only the row has may be newer than the article, which may come from a replica.
  const fetchedAt = respondedAt - (hasProof && rowFields.includes(field) ? maxLagMs : 0);
  const indexed = indexArticle(article, {
    record,
    sourceHash,
    rowIsWhole: row.record === record || undefined,
    rowFields: rowFields.length > 0 ? rowFields : undefined,
    row: hasProof ? fetchedRow(article, row, { field, fetchedAt }) : undefined,
  });
  const { renderings } = known?.record === record ? known : indexed;
  const notices = fetched.notes ?? [];
  return { article: { ...indexed, renderings }, text: storedArticle(article), notices };
}
