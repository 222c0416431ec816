import {
  type ArticleProblem,
  ArticlesInvalidError,
  ArticlesRequestError,
  messageOf,
} from '../errors.ts';

/**
 * Returns the problems of an article after a failure of `getArticle()`.
 *
 * @param probe sends another request to the service. If it succeeds, only this article has the problem; if it
 *   fails, the cause may be the service, the key or the network.
 * @throws the failure, if it may affect other articles
 */
export async function problemsOf(
  error: unknown,
  { id, probe }: { id: string; probe?: (() => Promise<unknown>) | undefined },
): Promise<readonly ArticleProblem[]> {
  if (error instanceof ArticlesInvalidError) return error.problems;
  if (!(error instanceof ArticlesRequestError) || !probe) throw error;
  await probe().catch(() => Promise.reject(error));
  return [{ id, reason: messageOf(error) }];
}
