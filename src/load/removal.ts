import { ArticlesListingError, describeGroup } from '../errors.ts';
import { type Finding, isProblem } from '../shared/finding.ts';
import type { Version } from './article-version.ts';
import { type Fates, idsOnSite } from './fate.ts';
import { leftOutTexts } from './left-out.ts';
import type { Listing } from './list.ts';
import type { Load } from './load.ts';

// Refuses a load that would change most of a collection at once: the key may belong to another project, or the service
// may have renamed a field. `ARTICLES_ALLOW_REMOVAL` allows it. What is removed is compared with what the last build has
// shown, because `astro dev` and previews may show drafts.

const minCollection = 20;

/** Returns whether a number of articles is more than half of twenty or more. */
function isMost(count: number, all: number): boolean {
  return all >= minCollection && count > all / 2;
}

/**
 * Checks what the listing lacks, before the articles are requested one by one.
 *
 * @throws {ArticlesListingError} `mass-removal`
 */
export function checkListing(listed: ReadonlySet<string>, load: Load): void {
  const before = shownByBuild(load);
  if (before.length > 0) checkMassRemoval(before, listed, load, countOf(listed.size, load));
}

/**
 * Checks that the listed articles are the articles of the mirror. If most have another title and another text, they belong
 * to another project, whose ids are the same.
 *
 * @param versions the versions of this load, by id
 * @throws {ArticlesListingError} `mass-removal`
 */
export function checkReplacement(
  listed: ReadonlySet<string>,
  versions: ReadonlyMap<string, Version>,
  load: Load,
): void {
  const { before, options } = load;
  if (options.allowRemoval) return;
  const known = [...before.keys()].filter((id) => listed.has(id));
  const replaced = known.filter((id) => isReplaced(versions.get(id), load));
  if (!isMost(replaced.length, known.length)) return;
  throw massRemoval(
    `${replaced.length} of the ${known.length} articles that the service lists and the mirror has would get another title and another text.`,
  );
}

/** Returns whether an article has neither the title nor the text that the mirror has of it. */
function isReplaced(
  version: Version | undefined,
  { before, mirror }: Pick<Load, 'before' | 'mirror'>,
): boolean {
  if (!version) return false;
  const { id, title, record } = version.article;
  const known = before.get(id);
  if (!known || known.title === title) return false;
  const former = mirror.readArticle(known.record);
  return former !== undefined && former.content !== mirror.readArticle(record)?.content;
}

/**
 * Checks the result of a load before it takes effect.
 *
 * @throws {ArticlesListingError} `mass-removal`
 */
export function checkFates(
  fates: Fates,
  listing: Listing,
  notices: readonly Finding[],
  load: Load,
): void {
  const before = idsBefore(fates, listing, load);
  checkMassRemoval(before, idsOnSite(fates), load, describeFates(fates, notices, load));
}

/**
 * Returns the ids of the articles that the site had before the load:
 *
 * | an article | is one of them |
 * | --- | --- |
 * | shown by the last build | unless it is older than the newest articles, with `newest` |
 * | in the history of paths only | if it is shown or gone: others may be drafts since before this mirror was made |
 * | in the history of paths only, where no build has shown any, and nothing of the history is shown | yes: the listing is of another project |
 */
function idsBefore(fates: Fates, { ids: listed, isFull }: Listing, load: Load): string[] {
  const { mirror, before, paths } = load;
  const built = shownByBuild(load).filter((id) => !isFull || listed.has(id));
  // Before the first build, the mirror has only what `astro dev` or a preview has loaded.
  const isFirst = mirror.index.built.length === 0;
  const historic = [...fates].filter(([id]) => paths.has(id) && (isFirst || !before.has(id)));
  const isOther = isFirst && !historic.some(([, { is }]) => is === 'shown');
  const published = historic.filter(([, { is }]) => isOther || is === 'shown' || is === 'gone');
  return [...new Set([...built, ...published.map(([id]) => id)])];
}

/** Fails a load that would leave a collection without articles, or remove most of them. */
function checkMassRemoval(
  before: readonly string[],
  after: ReadonlySet<string>,
  { options }: Pick<Load, 'options'>,
  loaded: string,
): void {
  const removed = before.filter((id) => !after.has(id)).length;
  if (options.allowRemoval || (after.size > 0 && !isMost(removed, before.length))) return;
  const effect =
    before.length === 0
      ? 'No article can be shown.'
      : `${removed} of the ${before.length} articles that the site shows would disappear.`;
  throw massRemoval(`${loaded}. ${effect}`);
}

function massRemoval(message: string): ArticlesListingError {
  return new ArticlesListingError('mass-removal', message, {
    hint:
      'If this is intended, set ARTICLES_ALLOW_REMOVAL=1 for one build. Otherwise check the API key, the project, and ' +
      'whether the service still calls its fields `title` and `content`. If one checkout builds sites of several projects, ' +
      'give each a `mirrorDir` of its own.',
  });
}

/**
 * Returns the ids of the articles that the last build has shown, without articles that a later load has found to be
 * gone.
 */
function shownByBuild({ mirror, gone }: Pick<Load, 'mirror' | 'gone'>): string[] {
  return mirror.index.built.filter((id) => !gone.has(id));
}

function countOf(count: number, { client }: Pick<Load, 'client'>): string {
  const articles = count === 1 ? '1 article' : `${count || 'no'} articles`;
  return `${client ? 'The service lists' : 'The mirror has'} ${articles}`;
}

function describeFates(fates: Fates, notices: readonly Finding[], load: Load): string {
  const all = [...fates.values()].filter(
    (fate) => fate.is === 'shown' || (fate.is === 'left out' && fate.why !== 'not listed'),
  );
  const first = notices.find(isProblem);
  const parts = Object.entries(leftOutTexts).flatMap(([why, text]) => {
    const { length } = all.filter((fate) => fate.is === 'left out' && fate.why === why);
    return length > 0 ? `${length} of them ${text}` : [];
  });
  const problem = first ? ` (${describeGroup([first])})` : '';
  return [countOf(all.length, load), ...parts].join(', ') + problem;
}
