import { ArticlesRequestError } from '../../errors.ts';
import { isTransient } from '../../http/retry.ts';

type RequestOf<Page> = (query: { offset: number; limit: number }) => Promise<Page>;

/** The minimum size that later pages start with, even if one part of the listing needed smaller pages. */
const smallestStart = 10;

/**
 * Requests a page that is too large for the service in smaller parts, down to single rows. If none succeeds, it throws
 * the error of the page that was requested.
 */
export function withSmallerPages<Page>(requestPage: RequestOf<Page>): RequestOf<Page> {
  let largest = Number.POSITIVE_INFINITY;

  async function request(offset: number, limit: number, firstError?: unknown): Promise<Page> {
    try {
      return await requestPage({ offset, limit });
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      if (limit === 1) throw firstError ?? error;
      // Half of the size; a tenth, if the failure took several attempts.
      const smaller = Math.ceil(limit / (error.attempts > 1 ? 10 : 2));
      largest = Math.min(largest, Math.max(smaller, smallestStart));
      return request(offset, smaller, firstError ?? error);
    }
  }
  return ({ offset, limit }) => request(offset, Math.min(limit, largest));
}

/** Whether a smaller page might succeed. */
function isTooLarge(error: unknown): error is ArticlesRequestError {
  if (!(error instanceof ArticlesRequestError)) return false;
  const { code, status } = error;
  if (code === 'server-error') return isTransient(status) && status !== 503;
  return code === 'timeout' || code === 'body-too-large' || status === 413;
}
