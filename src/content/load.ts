import type { LoaderContext } from 'astro/loaders';
import { type ArticlesClient, clientLimits, type Traffic } from '../client/client.ts';
import { inOrder } from '../client/listing/in-order.ts';
import { idProblem } from '../client/urls.ts';
import { ArticlesInvalidError, quote } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Addresses } from '../redirects/history.ts';
import { systemClock } from '../shared/clock.ts';
import { joinSome, type NoticeKind, noticeOf, problemsIn } from '../shared/notice.ts';
import { collectEvidence } from '../sync/absence.ts';
import { absentFates, type Fate, type Fates } from '../sync/fate.ts';
import { type FetchedArticles, fetchAndRender } from '../sync/fetch.ts';
import { type ListedRow, type Listing, list } from '../sync/list.ts';
import type { Load } from '../sync/load.ts';
import { checkFates, checkListing } from '../sync/mass-removal.ts';
import { type Images, loadImages } from '../sync/needed-images.ts';
import type { Version } from '../sync/version.ts';
import { type EntrySet, makeEntries } from './entries.ts';
import type { OpenedLoad } from './open-load.ts';

/** The result of a load. It takes effect with `commit()` and `reconcile()`. */
export interface LoadedCollection extends EntrySet {
  /** Of each listed or known article, in the order of the site. */
  fates: Fates;
  /** By id, those that the mirror will have. */
  versions: ReadonlyMap<string, Version>;
  images: Images;
  /** The history of slugs, without those of articles that are gone. */
  addresses: Addresses;
  older: number;
  traffic?: Traffic | undefined;
  load: Load;
}

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
): Promise<LoadedCollection> {
  const { mirror, options } = opened;
  const abort = new AbortController();
  const call = { signal: abort.signal, deadline: systemClock.now() + clientLimits.totalTimeout };
  const known = new Map(mirror.index.articles.map((article) => [article.id, article]));
  let load: Load = { ...opened, client, before: known, call, oldUrls: new Set() };
  try {
    const listing = await list(load);
    const isListed = new Set(listing.rows.map(({ id }) => id));
    if (client && !listing.isFull) checkListing(isListed, load);

    // What only the published site knows is requested, too: a removed article's title does not stay public.
    const published = client && !listing.isFull ? publishedOnly(isListed, opened, known) : [];
    const missing = [...known.keys(), ...published].filter((id) => !isListed.has(id));
    const absent = listing.isFull ? [] : missing.map((id) => absentRow(id, load));
    const earlier = mirror.isSameKey(options.apiKey) ? known : new Map();
    const rows = [...listing.rows, ...absent];
    const fetched = await fetchAndRender(rows, earlier, load);
    // A load that fails from here on has rendered its articles for the next one.
    mirror.flush();
    const isOther = isOtherProject(fetched, load);
    if (isOther) load = { ...load, before: new Map() };
    const { before } = load;

    const ids = inOrder([...isListed], isOther ? [] : [...before.keys(), ...published]);
    const evidence = await collectEvidence(ids, listing, fetched, load);
    const absentOnes = absentFates(ids, evidence);
    addNotices(ids, { listing, fetched, absent: absentOnes }, load);
    failOn('article', load);

    const present = ids.filter((id) => !absentOnes.has(id));
    const versions = new Map(
      present.flatMap((id) => {
        const version = fetched.versions.get(id);
        return version ? [[id, version]] : [];
      }),
    );
    const images = await loadImages([...versions.values()], load);
    failOn('image', load);

    const history = isOther ? new Map() : opened.addresses;
    const { older } = listing;
    const entrySet = await makeEntries(
      context,
      {
        ids: present,
        versions,
        images,
        older,
        addresses: history,
        schema: opened.fingerprint.entries,
      },
      load,
    );
    for (const [id, { version }] of entrySet.entries) versions.set(id, version);
    failOn('article', load);

    const fateOf = (id: string): Fate => {
      const version = versions.get(id);
      const isEarlier = fetched.unusable.has(id) || entrySet.refused.has(id);
      if (entrySet.entries.has(id)) {
        if (!isListed.has(id)) return { is: 'shown', why: 'not listed' };
        return isEarlier ? { is: 'shown', why: 'earlier version' } : { is: 'shown' };
      }
      if (entrySet.refused.has(id)) return { is: 'left out', why: 'schema' };
      if (version && 'leftOut' in version) return { is: 'left out', why: version.leftOut };
      return { is: 'left out', why: 'no usable version' };
    };
    const fates = new Map(ids.map((id) => [id, absentOnes.get(id) ?? fateOf(id)]));
    // In dev, a page with too few articles is more useful than none.
    if (client || !context.watcher) checkFates(fates, published, load);
    return {
      ...entrySet,
      fates,
      versions,
      images,
      addresses: new Map([...history].filter(([id]) => fates.get(id)?.is !== 'gone')),
      older,
      traffic: client?.traffic(),
      load,
    };
  } catch (error) {
    // Stops the requests that are still in flight.
    abort.abort(error);
    throw error;
  }
}

/** Returns the ids that are only in the addresses of the site, not requested by an earlier load, and not listed. */
function publishedOnly(
  listed: ReadonlySet<string>,
  { addresses, mirror }: OpenedLoad,
  known: ReadonlyMap<string, IndexedArticle>,
): string[] {
  // Without an index, no load has requested what only the mirror's addresses contain.
  const settled = mirror.index.syncedAt > 0 ? mirror.addresses : known;
  const isNew = (id: string) => !listed.has(id) && !known.has(id) && !settled.has(id);
  return [...addresses.keys()].filter((id) => isNew(id) && !idProblem(id));
}

/** Returns the row of an article that the listing lacks: with the fields that only its row had. */
function absentRow(id: string, { mirror, before }: Load): ListedRow {
  const record = before.get(id)?.record;
  const stored = record === undefined ? undefined : mirror.readArticle(record);
  const fields = stored?.rowFields.map((name) => [name, stored.extra[name]] as const) ?? [];
  return { id, extra: Object.fromEntries(fields) };
}

/**
 * Whether the key is another one than that of the last load, and no article is as it was then: the mirror is that of
 * another project, whose articles and slugs mean nothing for this one.
 */
function isOtherProject(
  { versions }: FetchedArticles,
  { client, mirror, options, before }: Load,
): boolean {
  if (!client || before.size === 0 || mirror.isSameKey(options.apiKey)) return false;
  return ![...versions.values()].some(
    ({ article }) => before.get(article.id)?.digest === article.digest,
  );
}

const outcomes = { article: 'articles', image: 'images' } as const;

const hints: Record<keyof typeof outcomes, string> = {
  article:
    'Fix them in the service, in `transform` or in the schema of the collection (for example, with `.optional()` for a ' +
    "field that some articles lack), or take 'articles' out of `failOn`, to continue with the last good version of each " +
    '(articles that have none are left out).',
  image: "Fix them in the service, or take 'images' out of `failOn`.",
};

/** @throws {ArticlesInvalidError} when there are such notices, and the site wants a build to fail for them */
function failOn(kind: NoticeKind & keyof typeof outcomes, { notices, options }: Load): void {
  const found = notices.filter((notice) => notice.kind === kind);
  if (found.length === 0 || !options.failOn.includes(outcomes[kind])) return;
  throw new ArticlesInvalidError(problemsIn(found), { hint: hints[kind] });
}

/** Says which articles have problems, and which are shown although the listing lacks them. */
function addNotices(
  ids: readonly string[],
  {
    listing,
    fetched,
    absent,
  }: { listing: Listing; fetched: FetchedArticles; absent: ReadonlyMap<string, Fate> },
  { before, notices }: Load,
): void {
  const isListed = new Set(listing.rows.map(({ id }) => id));
  const kept = ids.filter((id) => !isListed.has(id) && !absent.has(id));
  if (kept.length > 0) {
    const why = listing.incomplete ?? 'two readings of it do not agree';
    const shown = joinSome(kept.map(quote));
    const text = `Articles that the listing lacks are kept (${shown}), because it is unreliable: ${why}.`;
    notices.push({ kind: 'listing', ids: kept, text });
  }
  for (const id of ids) {
    // The site neither has nor should have it, so its problems are not those of the site.
    if (absent.has(id) || !(isListed.has(id) || before.has(id))) continue;
    const problems = [...(fetched.problems.get(id) ?? [])];
    if (isListed.has(id) && fetched.missing.has(id)) {
      problems.push({ id, reason: 'the service lists it, and responds 404 to the request for it' });
    }
    notices.push(...problems.map((problem) => noticeOf(problem)));
  }
}
