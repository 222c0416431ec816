import { ArticlesListingError, describeProblem } from '../errors.ts';
import { problemsIn } from '../shared/notice.ts';
import { type Fates, type LeftOutReason, shownIds } from './fate.ts';
import type { Load } from './load.ts';

const smallCollection = 20;

/**
 * Checks what the listing lacks, before the articles are requested one by one.
 *
 * @throws {ArticlesListingError} `mass-removal`
 */
export function checkListing(listed: ReadonlySet<string>, load: Load): void {
  const before = shownBefore(load);
  if (before.length > 0) checkMassRemoval(before, listed, load, () => countOf(listed.size, load));
}

/**
 * Checks the result of a load before it takes effect. With `newest`, an article that is older than the newest ones is not
 * removed. One that only the published site knew, and that is gone, is.
 *
 * @throws {ArticlesListingError} `mass-removal`
 */
export function checkFates(fates: Fates, load: Load): void {
  const before = shownBefore(load).filter((id) => fates.get(id)?.is !== 'older');
  const published = [...fates].flatMap(([id, { is }]) =>
    is === 'gone' && !load.before.has(id) ? id : [],
  );
  const describe = () => describeFates(fates, load);
  checkMassRemoval([...before, ...published], shownIds(fates), load, describe);
}

/**
 * Fails a load that would remove all articles from a collection, or more than half of twenty or more. Possible causes are
 * the key of another project, and a service that has renamed a field. A first load without any article fails, too.
 */
function checkMassRemoval(
  before: readonly string[],
  after: ReadonlySet<string>,
  { options }: Load,
  describe: () => string,
): void {
  const gone = before.filter((id) => !after.has(id)).length;
  const isMass = before.length >= smallCollection && gone > before.length / 2;
  if (options.allowRemoval || (after.size > 0 && !isMass)) return;
  const share =
    gone === before.length ? 'All articles' : `${gone} of the ${before.length} articles`;
  const effect =
    before.length === 0
      ? 'No article can be shown.'
      : `${share} that the site shows would disappear.`;
  throw new ArticlesListingError('mass-removal', `${describe()}. ${effect}`, {
    hint:
      'If this is intended, set ARTICLES_ALLOW_REMOVAL=1 for one build. Otherwise check the API key, the project, and ' +
      'whether the service still calls its fields `title` and `content` (`npx astro-articles check`). If one checkout ' +
      'builds sites of several projects, give each a `mirrorDir` of its own.',
  });
}

/** Returns the ids of the articles that the site shows. A change of the option `drafts` is intended. */
function shownBefore({ before, options }: Load): string[] {
  return [...before.values()].flatMap(({ id, shown, draft }) =>
    shown && !(draft && options.drafts === 'skip') ? id : [],
  );
}

function countOf(count: number, { client }: Load): string {
  const articles = count === 1 ? '1 article' : `${count || 'no'} articles`;
  return `${client ? 'The service lists' : 'The mirror has'} ${articles}`;
}

function describeFates(fates: Fates, load: Load): string {
  const all = [...fates.values()].filter(({ is }) => is === 'shown' || is === 'left out');
  const [first] = problemsIn(load.notices.filter(({ kind }) => kind === 'article'));
  const reasons: [LeftOutReason, string][] = [
    ['no usable version', `cannot be used${first ? ` (${describeProblem(first)})` : ''}`],
    ['draft', 'drafts (without `title` or `content`)'],
    ['transform', 'left out by `transform` (it has to return each article that is shown)'],
    ['schema', "left out by the collection's schema"],
  ];
  const parts = reasons.flatMap(([reason, text]) => {
    const { length } = all.filter((fate) => fate.is === 'left out' && fate.why === reason);
    return length > 0 ? `${length} of them ${text}` : [];
  });
  return [countOf(all.length, load), ...parts].join(', ');
}
