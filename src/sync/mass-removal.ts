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
  articles: readonly { id: string; draft: boolean }[];
  /** Where they are from. @default 'The service lists' */
  source?: string;
}): void {
  const { before, after, articles, source = 'The service lists' } = change;
  const gone = before.filter((id) => !after.has(id)).length;
  const isMass = before.length >= smallCollection && gone > before.length / 2;
  if (after.size > 0 && !isMass) return;
  const leftOut = articles.filter(({ id }) => !after.has(id));
  const drafts = leftOut.filter(({ draft }) => draft).length;
  const others = leftOut.length - drafts;
  const state = [
    `${source} ${articles.length} articles`,
    ...(drafts > 0 ? [`${drafts} of them drafts (without \`title\` or \`content\`)`] : []),
    ...(others > 0 ? [`${others} left out by \`transform\` or by the collection's schema`] : []),
  ];
  const effect =
    before.length === 0
      ? 'None of them can be shown.'
      : `${gone} of the ${before.length} articles that the site shows would disappear.`;
  throw new ArticlesListingError('mass-removal', `${state.join(', ')}. ${effect}`, {
    hint:
      'If this is intended, set `allowEmpty: true` for one build. Otherwise check the API key, the project, ' +
      'and whether the service still calls its fields `title` and `content` (`npx astro-articles check`).',
  });
}

/** Returns the state before a load of a site, and all articles, for `checkMassRemoval()`. */
export function shownBefore(
  { before, versions, traffic }: Pick<Load, 'before' | 'versions' | 'traffic'>,
  options: ResolvedOptions,
) {
  const shown = [...before.values()].filter(
    (article) => !article.hidden && isShown(article, options),
  );
  return {
    before: shown.map(({ id }) => id),
    articles: versions.map(({ article }) => article),
    source: traffic ? 'The service lists' : 'The mirror has',
  };
}
