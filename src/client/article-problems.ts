import {
  type ArticleProblem,
  ArticlesRequestError,
  InvalidArticlesError,
  messageOf,
} from '../errors.ts';

/**
 * Returns the problems of an article after a failure of `getArticle()`.
 *
 * @param probe sends another request to the service. Only if it succeeds, a failed request is the problem of this
 *   article: a failing service, a wrong key or a broken network would affect others, too.
 * @throws the failure, if it may affect other articles
 */
export async function problemsOf(
  error: unknown,
  { id, probe }: { id: string; probe?: (() => Promise<unknown>) | undefined },
): Promise<readonly ArticleProblem[]> {
  if (error instanceof InvalidArticlesError) return error.problems;
  if (!(error instanceof ArticlesRequestError) || !probe) throw error;
  await probe().catch(() => Promise.reject(error));
  return [{ id, reason: messageOf(error) }];
}
