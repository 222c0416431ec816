import { ArticlesRequestError } from '../../errors.ts';
import { isTransient } from '../http/retry.ts';
import type { AskPage } from './walk.ts';

const smallestPage = 10;

/** A page that is too much for the service is asked for in smaller pieces, and so are all after it. */
export function shrinking<Kept>(askPage: AskPage<Kept>): AskPage<Kept> {
  let largest = Number.POSITIVE_INFINITY;

  return async (query) => {
    let first: unknown;
    for (;;) {
      const limit = Math.min(query.limit, largest);
      try {
        return await askPage({ ...query, limit });
      } catch (error) {
        if (!isTooMuch(error)) throw error;
        first ??= error;
        // The first error is about what the caller asked for; it says most when nothing helps.
        if (limit <= smallestPage) throw first;
        largest = Math.min(largest, smallerThan(limit, error));
      }
    }
  };
}

/** Half as much; or as little as possible, when a timeout has taken long enough already. */
function smallerThan(limit: number, error: unknown): number {
  const isTimeout = error instanceof ArticlesRequestError && error.code === 'timeout';
  return isTimeout ? smallestPage : Math.ceil(limit / 2);
}

/** Whether a smaller page might get through where this one did not. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof ArticlesRequestError)) return false;
  const { code, status } = error;
  if (code === 'server-error') return isTransient(status) && status !== 503;
  return code === 'timeout' || code === 'body-too-large' || status === 413;
}
