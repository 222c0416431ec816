import { ArticlesRequestError } from '../../errors.ts';
import { isTransient } from '../../http/retry.ts';

type RequestOf<Page> = (query: { offset: number; limit: number }) => Promise<Page>;

/** The minimum size that later pages start with, even if one part of the listing needed smaller pages. */
const smallestStart = 10;

/** Requests a page that is too large for the service in smaller parts, down to single rows. */
export function withSmallerPages<Page>(requestPage: RequestOf<Page>): RequestOf<Page> {
  let largest = Number.POSITIVE_INFINITY;

  return async (query) => {
    let limit = Math.min(query.limit, largest);
    let firstError: unknown;
    for (;;) {
      try {
        return await requestPage({ ...query, limit });
      } catch (error) {
        if (!isTooLarge(error)) throw isTimeUp(error) ? (firstError ?? error) : error;
        // The first error describes the page that was requested.
        firstError ??= error;
        if (limit === 1) throw firstError;
        // Half of the size; a tenth, if the failure took several attempts.
        limit = Math.ceil(limit / (error.attempts > 1 ? 10 : 2));
        largest = Math.min(largest, Math.max(limit, smallestStart));
      }
    }
  };
}

function isTimeUp(error: unknown): boolean {
  return error instanceof ArticlesRequestError && error.code === 'total-timeout';
}

/** Whether a smaller page might succeed. */
function isTooLarge(error: unknown): error is ArticlesRequestError {
  if (!(error instanceof ArticlesRequestError)) return false;
  const { code, status } = error;
  if (code === 'server-error') return isTransient(status) && status !== 503;
  return code === 'timeout' || code === 'body-too-large' || status === 413;
}
