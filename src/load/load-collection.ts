import { type ArticlesClient, clientLimits } from '../client/client.ts';
import { mergeOrders } from '../client/listing/reading.ts';
import { idProblem } from '../client/urls.ts';
import { ArticlesInvalidError, articleNotice } from '../errors.ts';
import { withoutArticles } from '../redirects/history.ts';
import { systemClock } from '../shared/clock.ts';
import { type Finding, isProblem } from '../shared/finding.ts';
import { makeEntries } from './entries.ts';
import { planEntries } from './entry-plan.ts';
import { type Fate, type Fates, fateOf, findAbsent } from './fate.ts';
import { type FetchedArticles, fetchAndRender } from './fetch.ts';
import { loadImages } from './images.ts';
import { type Listing, list } from './list.ts';
import type { Load } from './load.ts';
import { checkFates, checkListing, checkReplacement } from './removal.ts';
import type { ListedRow } from './rows.ts';

/** What a load needs before it begins. */
export type OpenedLoad = Omit<Load, 'client' | 'call' | 'idsWithOldUrls'>;

/** The result of a load. It takes effect with `commit()` and `reconcile()`. */
export type LoadedCollection = Awaited<ReturnType<typeof loadCollection>>;

/**
 * Loads a collection: lists, fetches and renders the articles, downloads images, makes entries, and decides the fate of
 * each article. It writes new records to the mirror, and leaves its index and Astro's store unchanged. Without a client,
 * the articles are the articles of the mirror, and no request is made.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | ArticlesInvalidError | ArticlesMirrorError}
 */
export async function loadCollection(opened: OpenedLoad, client?: ArticlesClient) {
  const abort = new AbortController();
  const call = { signal: abort.signal, deadline: systemClock.now() + clientLimits.totalTimeout };
  const load: Load = { ...opened, client, call, idsWithOldUrls: new Set() };
  if (!client) load.mirror.keepInMemory();
  try {
    const listing = await list(load);
    const { ids: listed, older } = listing;
    const notices: Finding[] = [...listing.notices];
    if (client && !listing.isFull) checkListing(listed, load);

    const ids = mergeOrders([...listed], knownIds(listing, load));
    const unlistedRows = listing.isFull
      ? []
      : ids.filter((id) => !listed.has(id)).map((id) => unlistedRow(id, load));
    const fetched = await fetchAndRender([...listing.rows, ...unlistedRows], load);
    const absent = await findAbsent(ids, listing, fetched, load);
    const { unlisted, gone } = findMissing(absent, listing, load);
    notices.push(...fetched.notices, ...problemsOf(ids, listing, fetched, absent, load));
    failOnProblems(notices, load);

    const present = ids.filter((id) => !absent.has(id));
    // In the order of the site, and not of the responses.
    const versions = new Map(
      present.flatMap((id) => {
        const version = fetched.versions.get(id);
        return version ? [[id, version]] : [];
      }),
    );
    if (client) checkReplacement(listed, versions, load);
    const { images, usable, noticesOf } = await loadImages(versions.values(), load);

    const paths = withoutArticles(load.paths, gone);
    const plan = await planEntries(present, versions, { images: usable, older, paths }, load);
    const { entries, refused, notices: refusals } = await makeEntries(plan, load);
    for (const [id, { version }] of entries) versions.set(id, version);
    // An earlier version may show an image that was never downloaded.
    notices.push(...noticesOf(versions.values()), ...plan.notices, ...refusals);
    failOnProblems(notices, load);

    const fates = new Map(
      ids.map((id) => [id, absent.get(id) ?? fateOf(id, listing, fetched, { entries, refused })]),
    );
    notices.push(...keptNotices(fates, listing));
    // In dev without the service, too few articles are more useful than none.
    if (client || !load.astro.isDev) checkFates(fates, listing, notices, load);
    return {
      ...{ entries, fates, versions, images, unlisted, gone, older, load, listing },
      fileOf: plan.fileOf,
      notices,
    };
  } catch (error) {
    // Stops the requests that are still in flight.
    abort.abort(error);
    throw error;
  }
}

/**
 * Returns the ids of the known articles, and of articles that only the history of paths has, because the paths of
 * such an article do not stay public if the service has removed it. Articles that an earlier load did not find are not requested again.
 */
function knownIds({ ids, isFull }: Listing, load: Load): string[] {
  const { client, before, paths, unlisted, gone } = load;
  if (!client || isFull) return [...before.keys()];
  const isKnown = (id: string) => ids.has(id) || before.has(id) || unlisted.has(id) || gone.has(id);
  const historic = [...paths.keys()].filter((id) => !isKnown(id) && !idProblem(id));
  return [...before.keys(), ...historic];
}

/**
 * Returns the ids of published and built articles that later loads do not request until a listing has them: because two
 * readings lack them, or because they are gone.
 */
function findMissing(
  absent: Fates,
  { ids: listed }: Listing,
  { paths, mirror, unlisted, gone }: Pick<Load, 'paths' | 'mirror' | 'unlisted' | 'gone'>,
) {
  const historic = [...new Set([...paths.keys(), ...mirror.index.built])];
  const idsThatAre = (is: Fate['is'], before: ReadonlySet<string>) =>
    historic.filter((id) => absent.get(id)?.is === is || (before.has(id) && !listed.has(id)));
  return { unlisted: idsThatAre('left out', unlisted), gone: idsThatAre('gone', gone) };
}

/** Returns the row of an article that the listing lacks: with the fields that only its row had. */
function unlistedRow(
  id: string,
  { before, mirror, options }: Pick<Load, 'before' | 'mirror' | 'options'>,
): ListedRow {
  const { record = '', rowFields = [] } = before.get(id) ?? {};
  const fields = Object.entries(mirror.readArticle(record)?.extra ?? {});
  const ofRow = fields.filter(([name]) => options.rows === 'whole' || rowFields.includes(name));
  return { id, extra: Object.fromEntries(ofRow), isUnlisted: true };
}

/** @throws {ArticlesInvalidError} when articles cannot be used, and the site wants a build to fail for them */
function failOnProblems(notices: readonly Finding[], { options }: Pick<Load, 'options'>): void {
  const problems = notices.filter(isProblem);
  if (problems.length === 0 || !options.failOn.includes('articles')) return;
  const hint =
    'Fix them in the service, with `transform`, or in the schema of the collection, such as with `.nullish()` for a field ' +
    'that some articles lack. For a title or content that is not text, correct your `fetch`, or write one. ' +
    "Or set `failOn: ['service']`, to continue with the last good version of each (articles that have none are left out).";
  throw new ArticlesInvalidError(problems, { hint });
}

/** Says which articles are shown although the listing lacks them. */
function keptNotices(fates: Fates, { incomplete }: Listing): Finding[] {
  const why = incomplete ?? 'a second reading does not confirm it';
  const ids = [...fates].flatMap(([id, fate]) =>
    fate.is === 'shown' && fate.why === 'not listed' ? id : [],
  );
  return ids.length > 0 ? [{ code: 'kept', ids, data: { why } }] : [];
}

/** Returns the problems of articles that the site has, or should have. */
function problemsOf(
  ids: readonly string[],
  listing: Listing,
  { problems, notFound }: FetchedArticles,
  absent: Fates,
  { before }: Pick<Load, 'before'>,
): Finding[] {
  const hasNoArticles = notFound.size === listing.ids.size;
  const isWhole = listing.rows.every(({ record }) => record !== undefined);
  const advice =
    hasNoArticles && isWhole ? ". Its row is a whole article, which `rows: 'whole'` uses" : '';
  const isOfSite = (id: string) => !absent.has(id) && (listing.ids.has(id) || before.has(id));
  return ids.filter(isOfSite).flatMap((id) => {
    const found = problems.get(id) ?? [];
    if (!listing.ids.has(id) || !notFound.has(id)) return found;
    const text = `the service lists it, and responds 404 or 410 to the request for it${advice}`;
    return [...found, articleNotice(id, text)];
  });
}
