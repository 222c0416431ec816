import {
  type ArticleProblem,
  type ArticlesErrorCode,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';

/** Failures of one response. They say nothing about the service. */
const ofResponse: ReadonlySet<ArticlesErrorCode> = new Set([
  'refused',
  'server-error',
  'unexpected-status',
  'redirect',
  'empty-body',
  'not-json',
  'bad-json',
  'bad-text',
  'body-too-large',
  'too-deep',
  'unexpected-shape',
  'wrong-article',
]);

/** Failures of one address. A failing service, a wrong key or a broken network has them as well. */
const ofAddress: ReadonlySet<ArticlesErrorCode> = new Set([
  'unauthorized',
  'throttled',
  'unavailable',
  'network',
  'protocol',
  'timeout',
]);

/** Whether a failure of `getArticle()` is certainly the article's own. */
export function isArticleFailure(
  error: unknown,
): error is InvalidArticlesError | ArticlesRequestError {
  return error instanceof InvalidArticlesError || hasCode(error, ofResponse);
}

/**
 * Whether a failure of `getArticle()` may be the article's own. Unless {@link isArticleFailure}, the caller
 * sends another request, such as `listPage({ limit: 1 })`. If that succeeds, the failure belongs to the
 * article. Otherwise it is the service's, and ends the load.
 */
export function mayBeArticleFailure(error: unknown): boolean {
  return isArticleFailure(error) || hasCode(error, ofAddress);
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

function hasCode(
  error: unknown,
  codes: ReadonlySet<ArticlesErrorCode>,
): error is ArticlesRequestError {
  return error instanceof ArticlesRequestError && codes.has(error.code);
}
