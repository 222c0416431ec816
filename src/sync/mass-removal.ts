import { ArticlesListingError, describeProblem } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { LoadedArticles } from './pipeline.ts';

const smallCollection = 20;

/**
 * Fails a load that would remove all articles from a collection, or more than half of twenty or more. Possible
 * causes are the key of another project, and a service that has renamed a field. A first load without any article
 * fails, too. With `newest`, an article that is older than the newest ones is not removed.
 *
 * @param shown the articles that were shown before the load, and the ids of those that are shown after it
 * @throws {ArticlesListingError} `mass-removal`
 */
export function checkMassRemoval(
  {
    versions,
    left,
    problems,
    traffic,
  }: Pick<LoadedArticles, 'versions' | 'left' | 'problems' | 'traffic'>,
  {
    before: all,
    after,
    allowEmpty,
  }: {
    before: readonly Pick<IndexedArticle, 'id'>[];
    after: ReadonlySet<string>;
    allowEmpty: boolean;
  },
): void {
  const before = all.filter(({ id }) => !left.has(id));
  const gone = before.filter(({ id }) => !after.has(id)).length;
  const isMass = before.length >= smallCollection && gone > before.length / 2;
  if (allowEmpty || (after.size > 0 && !isMass)) return;
  const unusable = new Map(problems.map((problem) => [problem.id, problem]));
  for (const id of after) unusable.delete(id);
  const [first] = unusable.values();
  const usable = versions.map(({ article }) => article).filter(({ id }) => !unusable.has(id));
  const leftOut = usable.filter(({ id }) => !after.has(id));
  const drafts = leftOut.filter(({ draft }) => draft).length;
  const others = leftOut.length - drafts;
  const total = usable.length + unusable.size;
  const count = total === 1 ? '1 article' : `${total || 'no'} articles`;
  const state = [
    `${traffic ? 'The service lists' : 'The mirror has'} ${count}`,
    ...(first ? [`${unusable.size} of them cannot be used (${describeProblem(first)})`] : []),
    ...(drafts > 0 ? [`${drafts} of them drafts (without \`title\` or \`content\`)`] : []),
    ...(others > 0 ? [`${others} left out by \`transform\` or by the collection's schema`] : []),
  ];
  const effect =
    before.length === 0
      ? 'No article can be shown.'
      : `${gone === before.length ? 'All articles' : `${gone} of the ${before.length} articles`} that the site shows would disappear.`;
  throw new ArticlesListingError('mass-removal', `${state.join(', ')}. ${effect}`, {
    hint:
      'If this is intended, set `allowEmpty: true` for one build. Otherwise check the API key, the project, ' +
      'and whether the service still calls its fields `title` and `content` (`npx astro-articles check`).',
  });
}
