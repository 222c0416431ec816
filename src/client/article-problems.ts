import {
  type ArticleProblem,
  type ArticlesErrorCode,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';

/**
 * The failures that may be a single article's own: those of its response certainly are; those of its
 * address are only if other requests succeed, since a failing service, a wrong key or a broken network has
 * them as well.
 */
const failures: Partial<Record<ArticlesErrorCode, 'response' | 'address'>> = {
  refused: 'response',
  'server-error': 'response',
  'unexpected-status': 'response',
  redirect: 'response',
  'empty-body': 'response',
  'not-json': 'response',
  'bad-json': 'response',
  'bad-text': 'response',
  'body-too-large': 'response',
  'too-deep': 'response',
  'unexpected-shape': 'response',
  'wrong-article': 'response',
  unauthorized: 'address',
  throttled: 'address',
  unavailable: 'address',
  network: 'address',
  protocol: 'address',
  timeout: 'address',
};

/** Whether a failure of `getArticle()` is certainly the article's own. */
export function isArticleFailure(
  error: unknown,
): error is InvalidArticlesError | ArticlesRequestError {
  if (error instanceof InvalidArticlesError) return true;
  return error instanceof ArticlesRequestError && failures[error.code] === 'response';
}

/**
 * Whether a failure of `getArticle()` may be the article's own. Unless {@link isArticleFailure}, the caller
 * sends another request, such as `listPage({ limit: 1 })`. If that succeeds, the failure belongs to the
 * article. Otherwise it is the service's, and ends the load.
 */
export function mayBeArticleFailure(error: unknown): boolean {
  if (error instanceof InvalidArticlesError) return true;
  return error instanceof ArticlesRequestError && failures[error.code] !== undefined;
}

/**
 * Reads from a failure of `getArticle()` what is wrong with the article.
 *
 * @throws the failure, unless it is the article's own
 */
export function problemsOf(error: unknown, id: string): readonly ArticleProblem[] {
  if (!isArticleFailure(error)) throw error;
  return 'problems' in error ? error.problems : [{ id, reason: error.message }];
}
