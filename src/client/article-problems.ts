import {
  type ArticleProblem,
  type ArticlesErrorCode,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';

/**
 * Failures that may affect a single article. `certain`: the response for this article is wrong. `possible`:
 * a failing service, a wrong key or a broken network has the same effect, so it affects this article only if
 * other requests succeed.
 */
const failures: Partial<Record<ArticlesErrorCode, 'certain' | 'possible'>> = {
  refused: 'certain',
  'server-error': 'certain',
  'unexpected-status': 'certain',
  redirect: 'certain',
  'empty-body': 'certain',
  'not-json': 'certain',
  'bad-json': 'certain',
  'bad-text': 'certain',
  'body-too-large': 'certain',
  'too-deep': 'certain',
  'unexpected-shape': 'certain',
  'wrong-article': 'certain',
  unauthorized: 'possible',
  throttled: 'possible',
  unavailable: 'possible',
  network: 'possible',
  protocol: 'possible',
  timeout: 'possible',
};

/** Whether a failure of `getArticle()` certainly affects only this article. */
export function isArticleFailure(
  error: unknown,
): error is InvalidArticlesError | ArticlesRequestError {
  if (error instanceof InvalidArticlesError) return true;
  return error instanceof ArticlesRequestError && failures[error.code] === 'certain';
}

/**
 * Whether a failure of `getArticle()` may affect only this article. If {@link isArticleFailure} is false for it,
 * the caller sends another request, such as `listPage({ limit: 1 })`. If that succeeds, only this article is
 * affected. Otherwise the service fails, and the load ends.
 */
export function mayBeArticleFailure(error: unknown): boolean {
  if (error instanceof InvalidArticlesError) return true;
  return error instanceof ArticlesRequestError && failures[error.code] !== undefined;
}

/**
 * Returns the problems of an article after a failure of `getArticle()`.
 *
 * @throws the failure, unless it certainly affects only this article
 */
export function problemsOf(error: unknown, id: string): readonly ArticleProblem[] {
  if (!isArticleFailure(error)) throw error;
  return 'problems' in error ? error.problems : [{ id, reason: error.message }];
}
