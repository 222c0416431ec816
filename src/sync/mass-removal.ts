import { ArticlesListingError } from '../errors.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { isShown } from './indexed-article.ts';
import type { Load } from './pipeline.ts';

const smallCollection = 20;

/**
 * Fails a load that would remove all articles from a collection, or more than half of twenty or more. Possible
 * causes are the key of another project, and a service that has renamed a field.
 *
 * @throws {ArticlesListingError} `mass-removal`
 */
export function checkMassRemoval(change: {
  /** Ids of the articles that were shown before the load. */
  before: readonly string[];
  /** Ids of the articles that are shown after it. */
  after: ReadonlySet<string>;
  /** All articles that the service has. */
  articles: readonly { draft: boolean }[];
}): void {
  const { before, after, articles } = change;
  const hidden = before.filter((id) => !after.has(id)).length;
  const isMass = before.length >= smallCollection && hidden > before.length / 2;
  if (after.size > 0 && !isMass) return;
  const drafts = articles.filter(({ draft }) => draft).length;
  const state =
    `The service lists ${articles.length} articles` +
    (drafts > 0 ? `, ${drafts} of them drafts (without \`title\` or \`content\`).` : '.');
  const effect =
    before.length === 0
      ? 'None of them can be shown.'
      : `${hidden} of the ${before.length} articles that the site shows would disappear.`;
  throw new ArticlesListingError('mass-removal', `${state} ${effect}`, {
    hint:
      'If this is intended, set `allowEmpty: true` for one build. Otherwise check the API key, the project, ' +
      'and whether the service still calls its fields `title` and `content` (`npx astro-articles check`).',
  });
}

/** Returns the state before a load for `checkMassRemoval()`. */
export function shownBefore(
  { before, versions }: Pick<Load, 'before' | 'versions'>,
  options: ResolvedOptions,
) {
  const shown = [...before.values()].filter(
    (article) => !article.hidden && isShown(article, options),
  );
  return { before: shown.map(({ id }) => id), articles: versions.map(({ article }) => article) };
}
