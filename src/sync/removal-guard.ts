import { ArticlesListingError } from '../errors.ts';

const smallCollection = 20;

/**
 * Refuses to empty a collection, or to more than halve one of twenty articles or more: a key of
 * another project, or a service that lost its data, looks just like that.
 *
 * @throws {ArticlesListingError}
 */
export function checkRemoval(change: { before: number; after: number; removed: number }): void {
  const { before, after, removed } = change;
  const hint =
    'If that is right, set `allowEmpty: true` for one build. Otherwise check the API key and the project.';
  if (after === 0) {
    throw new ArticlesListingError(
      'mass-removal',
      before === 0
        ? 'The service lists no articles that can be used.'
        : `The service no longer lists any article, so all ${before} would be removed.`,
      { hint },
    );
  }
  if (before >= smallCollection && removed > before / 2) {
    throw new ArticlesListingError(
      'mass-removal',
      `The service no longer lists ${removed} of ${before} articles, so they would be removed.`,
      { hint },
    );
  }
}
