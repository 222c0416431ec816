import {
  type ArticleProblem,
  type ArticlesErrorCode,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';

/** Failures that a single response contains. They say nothing about the service. */
const ofOneResponse: ReadonlySet<ArticlesErrorCode> = new Set([
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

/** Failures of one address that a failing service, a wrong key or a broken network shows as well. */
const ofOneAddress: ReadonlySet<ArticlesErrorCode> = new Set([
  'unauthorized',
  'throttled',
  'unavailable',
  'network',
  'protocol',
  'timeout',
]);

/** Whether a failure of `getArticle()` is certainly the article's own. */
export function isArticleFailure(error: unknown): boolean {
  return error instanceof InvalidArticlesError || hasCode(error, ofOneResponse);
}

/**
 * Whether a failure of `getArticle()` may be the article's own: 401, 403, 429 for ever, a reset
 * connection, a time-out. The caller decides with another request, such as `listPage({ limit: 1 })`. If
 * that succeeds, the failure belongs to the article; otherwise it is the service's, and ends the load.
 */
export function mayBeArticleFailure(error: unknown): boolean {
  return isArticleFailure(error) || hasCode(error, ofOneAddress);
}

/**
 * Reads from a failure of `getArticle()` what is wrong with the article.
 *
 * @throws the failure, unless {@link isArticleFailure}
 */
export function problemsOf(error: unknown, id: string): ArticleProblem[] {
  if (!isArticleFailure(error)) throw error;
  if (error instanceof InvalidArticlesError) return [...error.problems];
  return [{ id, reason: error instanceof Error ? error.message : String(error) }];
}

function hasCode(error: unknown, codes: ReadonlySet<ArticlesErrorCode>): boolean {
  return error instanceof ArticlesRequestError && codes.has(error.code);
}
