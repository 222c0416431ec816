import {
  type ArticleProblem,
  type ArticlesErrorCode,
  ArticlesRequestError,
  InvalidArticlesError,
  messageOf,
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

/**
 * Returns the problems of an article after a failure of `getArticle()`.
 *
 * @param probe sends another request to the service: if it succeeds, the failure affects only this article
 * @throws the failure, if it may affect other articles
 */
export async function problemsOf(
  error: unknown,
  { id, probe }: { id: string; probe?: (() => Promise<unknown>) | undefined },
): Promise<readonly ArticleProblem[]> {
  if (error instanceof InvalidArticlesError) return error.problems;
  const kind = error instanceof ArticlesRequestError ? failures[error.code] : undefined;
  const isConfirmed =
    kind === 'possible' &&
    (await probe?.().then(
      () => true,
      () => false,
    ));
  if (kind !== 'certain' && !isConfirmed) throw error;
  return [{ id, reason: messageOf(error) }];
}
