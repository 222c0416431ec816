import { kindOf } from '../client/article.ts';
import { idProblem } from '../client/urls.ts';
import { ArticlesInvalidError, messageOf, quote } from '../errors.ts';
import type { EntryId } from '../options/options.ts';
import { maxSegmentBytes } from '../render/slug.ts';

/** Matches segments that `URL` removes or hosts join, and the backslash, which `URL` replaces by a slash. */
const unusablePart = /(?:^|\/)(?:\.|%2e){0,2}(?:\/|$)|\\/i;
const shownLength = 80;

/**
 * Calls the site's `entryId` for an article. A page may use the id as its path, so it has to be one.
 *
 * @param articleId the id of the article, for problems
 * @throws {ArticlesInvalidError} when the function fails, or returns a value that cannot be the id of an entry
 */
export async function callEntryId(
  entryId: EntryId,
  article: Parameters<EntryId>[0],
  articleId: string,
): Promise<string> {
  const invalid = (reason: string) => new ArticlesInvalidError([{ id: articleId, reason }]);
  let id: unknown;
  try {
    // A copy, because the function may change its argument, such as by sorting a list.
    id = await entryId(structuredClone(article));
  } catch (error) {
    throw invalid(`\`entryId\` failed: ${messageOf(error)}`);
  }
  if (typeof id !== 'string') {
    throw invalid(`\`entryId\` returned ${kindOf(id)} instead of text`);
  }
  const problem = idProblem(id) ?? pathProblem(id);
  if (problem) throw invalid(`\`entryId\` returned ${quote(id.slice(0, shownLength))}: ${problem}`);
  return id;
}

function pathProblem(id: string): string | undefined {
  if (unusablePart.test(id)) {
    return 'a path cannot contain a backslash, or a segment that is empty, "." or ".."';
  }
  const isLong = id.split('/').some((segment) => Buffer.byteLength(segment) > maxSegmentBytes);
  return isLong ? `it has a segment of more than ${maxSegmentBytes} bytes` : undefined;
}

/** Returns a text that is the same for ids whose pages are one file on some file systems. */
export function pathKey(id: string): string {
  return id.normalize('NFC').toLowerCase();
}
