import type { LoaderContext } from 'astro/loaders';
import { type ArticlesClient, clientLimits } from '../client/client.ts';
import { inOrder } from '../client/listing/reading.ts';
import { idProblem } from '../client/urls.ts';
import { ArticlesInvalidError, ArticlesListingError, joinSome, quote } from '../errors.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import { systemClock } from '../shared/clock.ts';
import { noticeOf, problemsIn } from '../shared/notice.ts';
import {
  checkFates,
  checkListing,
  type Fate,
  type Fates,
  fateOf,
  findAbsent,
} from '../sync/fate.ts';
import { type FetchedArticles, fetchAndRender, loadImages } from '../sync/fetch.ts';
import { isStored, type Listing, list, spread } from '../sync/list.ts';
import type { Load } from '../sync/load.ts';
import type { ListedRow } from '../sync/rows.ts';
import { makeEntries } from './entries.ts';
import type { OpenedLoad } from './open-load.ts';

/** The result of a load. It takes effect with `commit()` and `reconcile()`. */
export type LoadedCollection = Awaited<ReturnType<typeof loadCollection>>;

/**
 * Loads a collection: lists, fetches and renders the articles, downloads images, makes entries, and decides the fate of
 * each article. It writes new records to the mirror, and leaves its index and Astro's store unchanged. Without a client,
 * the articles are those of the mirror, and no request is made.
 *
 * @throws {ArticlesRequestError | ArticlesListingError | ArticlesInvalidError | ArticlesMirrorError}
 */
export async function loadCollection(
  context: LoaderContext,
  opened: OpenedLoad,
  client?: ArticlesClient,
) {
  const abort = new AbortController();
  const call = { signal: abort.signal, deadline: systemClock.now() + clientLimits.totalTimeout };
  let load: Load = { ...opened, client, call, oldUrls: new Set() };
  if (!client) load.mirror.keepInMemory();
  try {
    const [listing] = await Promise.all([list(load), load.mirror.checkImages()]);
    const { ids: listed, older } = listing;
    if (client && !listing.isFull) checkListing(listed, load);
    if (await isOtherProject(listing, load)) {
      // With `newest`, too, because none of its articles is an older one of the mirror.
      checkListing(listed, load);
      load = asOtherProject(listing, load);
    }

    const rows = [...listing.rows, ...absentRows(listing, load)];
    const fetched = await fetchAndRender(rows, load);
    const ids = inOrder([...listed], knownIds(listing, load));
    const absent = await findAbsent(ids, listing, fetched, load);
    addProblems(ids, listing, fetched, absent, load);
    failOn('articles', load);

    const present = ids.filter((id) => !absent.has(id));
    // In the order of the site, and not in that of the responses.
    const versions = new Map(
      present.flatMap((id) => {
        const version = fetched.versions.get(id);
        return version ? [[id, version]] : [];
      }),
    );
    const { images, usable } = await loadImages(versions.values(), load);
    failOn('images', load);

    const site = { ids: present, older, fingerprint: opened.fingerprint.entries };
    const made = await makeEntries(context, site, versions, usable, load);
    for (const [id, { version }] of made.entries) versions.set(id, version);
    failOn('articles', load);

    const fates = new Map(
      ids.map((id) => [id, absent.get(id) ?? fateOf(id, listing, fetched, made)]),
    );
    addKept(fates, listing, load);
    // In dev without the service, too few articles are more useful than none.
    if (client || !context.watcher) checkFates(fates, load);
    // The history of slugs, without those of articles that are gone.
    const addresses = new Map([...load.addresses].filter(([id]) => fates.get(id)?.is !== 'gone'));
    const unlisted = [...addresses.keys()].filter(
      (id) => isNotListed(fates.get(id)) || (load.unlisted.has(id) && !listed.has(id)),
    );
    return { ...made, fates, versions, images, addresses, unlisted, older, load, listing };
  } catch (error) {
    // Stops the requests that are still in flight.
    abort.abort(error);
    throw error;
  }
}

/**
 * Returns the ids of the known articles, and of those that only the addresses of the site contain, because the slugs of
 * such an article do not stay public if the service has removed it.
 */
function knownIds({ ids, isFull }: Listing, { client, before, addresses, unlisted }: Load) {
  if (!client || isFull) return [...before.keys()];
  const isNew = (id: string) => !ids.has(id) && !before.has(id) && !unlisted.has(id);
  return [...before.keys(), ...[...addresses.keys()].filter((id) => isNew(id) && !idProblem(id))];
}

function isNotListed(fate: Fate | undefined): boolean {
  return fate?.is === 'left out' && fate.why === 'not listed';
}

/** Returns the rows of articles that the listing lacks: with the fields that only their rows had. */
function absentRows(listing: Listing, load: Load): ListedRow[] {
  if (listing.isFull) return [];
  const missing = knownIds(listing, load).filter((id) => !listing.ids.has(id));
  return missing.map((id) => {
    const { record = '', rowFields = [] } = load.before.get(id) ?? {};
    const stored = load.mirror.readArticle(record);
    const isOfRow = (name: string) => load.options.rows === 'whole' || rowFields.includes(name);
    const fields = Object.entries(stored?.extra ?? {}).filter(([name]) => isOfRow(name));
    return { id, extra: Object.fromEntries(fields), isUnlisted: true };
  });
}

/** The number of articles that are requested to find out whether the mirror is that of another project. */
const maxCompared = 20;

/**
 * Returns whether the key is another one than that of the last load, and no article has the title or the text that it had
 * then: the mirror is that of another project, whose articles and slugs mean nothing for this one.
 *
 * @throws {ArticlesListingError} `mass-removal`, if it is unknown because of articles that could not be fetched
 */
async function isOtherProject({ rows }: Listing, load: Load): Promise<boolean> {
  const { client, call, before, mirror, options } = load;
  if (!client || before.size === 0 || mirror.isSameKey) return false;
  if (rows.some((row) => row.isStored)) return false;
  const listed = rows.flatMap(({ id }) => (before.has(id) ? id : []));
  const unknown: string[] = [];
  for (const id of spread(listed.length > 0 ? listed : [...before.keys()], maxCompared)) {
    try {
      const article = await client.getArticle(id, { ...call, confirmMissing: false });
      if (article && isStored({ ...article, article }, load)) return false;
    } catch {
      call.signal.throwIfAborted();
      unknown.push(id);
    }
  }
  if (unknown.length === 0 || options.allowRemoval) return true;
  const message =
    'The API key is another one, and no article has its stored title or text. It may be the key of another project, ' +
    `because articles could not be compared (${joinSome(unknown.map(quote))}).`;
  throw new ArticlesListingError('mass-removal', message, {
    hint: 'Build again when the service responds. Give another project a `mirrorDir` of its own.',
  });
}

/** Returns the load without the articles and slugs of the mirror. Those that the site has published are kept. */
function asOtherProject(listing: Listing, load: Load): Load {
  const { published, notices } = load;
  for (const row of listing.rows) delete row.current;
  const text =
    'The API key is another one, and no article has its stored title or text, so the articles and slugs of the mirror are ' +
    'not used. If two projects of one service are built in this folder, give each a `mirrorDir` of its own.';
  notices.push({ kind: 'other', ids: [], text });
  const before = new Map<string, IndexedArticle>();
  return { ...load, before, addresses: published, unlisted: new Set(), oldUrls: new Set() };
}

const failing = {
  articles: {
    kind: 'article',
    hint:
      'Fix them in the service, with a `fetch` of your own (fields of another type), in `transform`, or in the schema of ' +
      "the collection (such as with `.optional()` for a field that some articles lack), or set `failOn: ['service']`, to continue with the last good version of each " +
      '(articles that have none are left out).',
  },
  images: { kind: 'image', hint: "Fix them in the service, or take 'images' out of `failOn`." },
};

/** @throws {ArticlesInvalidError} when there are such notices, and the site wants a build to fail for them */
function failOn(what: keyof typeof failing, { notices, options }: Load): void {
  const { kind, hint } = failing[what];
  const found = notices.filter((notice) => notice.kind === kind);
  if (found.length > 0 && options.failOn.includes(what))
    throw new ArticlesInvalidError(problemsIn(found), { hint });
}

/** Says which articles are shown although the listing lacks them. */
function addKept(fates: Fates, { incomplete }: Listing, { notices }: Load): void {
  const why = incomplete ?? 'a second reading does not confirm it';
  const ids = [...fates].flatMap(([id, fate]) =>
    fate.is === 'shown' && fate.why === 'not listed' ? id : [],
  );
  if (ids.length === 0) return;
  const text = `Articles that the listing lacks are kept (${joinSome(ids.map(quote))}), because it is unreliable: ${why}.`;
  notices.push({ kind: 'listing', ids, text });
}

/** Says which articles have problems. */
function addProblems(
  ids: readonly string[],
  listing: Listing,
  { problems, missing }: FetchedArticles,
  absent: Fates,
  { before, notices }: Load,
): void {
  const hasNoArticles = missing.size === listing.ids.size;
  const isWhole = listing.rows.every(({ record }) => record !== undefined);
  const advice =
    hasNoArticles && isWhole ? ". Its row is a whole article, which `rows: 'whole'` uses" : '';
  for (const id of ids) {
    // The site neither has nor should have it, so its problems are not those of the site.
    if (absent.has(id) || !(listing.ids.has(id) || before.has(id))) continue;
    notices.push(...(problems.get(id) ?? []).map((problem) => noticeOf(problem)));
    if (listing.ids.has(id) && missing.has(id)) {
      const text = `the service lists it, and responds 404 or 410 to the request for it${advice}`;
      notices.push({ kind: 'article', ids: [id], text });
    }
  }
}
