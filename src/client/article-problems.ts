import {
  type ArticleProblem,
  type ArticlesErrorCode,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';

/** Faults of one answer. All others say something about the service. */
const articleFaults: ReadonlySet<ArticlesErrorCode> = new Set([
  'server-error',
  'empty-body',
  'not-json',
  'bad-json',
  'bad-text',
  'body-too-large',
  'too-deep',
  'unexpected-shape',
  'wrong-article',
]);

/**
 * Reads from a failure what is wrong with the article that was asked for.
 *
 * @throws what is no fault of the article alone
 */
export function problemsOf(error: unknown, id: string): ArticleProblem[] {
  if (error instanceof InvalidArticlesError) return [...error.problems];
  if (error instanceof ArticlesRequestError && articleFaults.has(error.code)) {
    return [{ id, reason: error.message }];
  }
  throw error;
}
