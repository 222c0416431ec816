import { type Article, type ListedArticle, withRowFields } from '../client/article.ts';
import { readListing } from '../client/listing/reading.ts';
import { createKeyFinder } from '../http/api-key.ts';
import { type IndexedArticle, recordOf } from '../mirror/formats.ts';
import type { Finding } from '../shared/finding.ts';
import { unsigned } from '../shared/image-url.ts';
import type { Load } from './load.ts';
import { hashOfRow, indexArticle, type ListedRow, provesUnchanged } from './rows.ts';

/** The listing of the service. */
export interface Listing {
  /** In the order of the listing, each id once. */
  rows: ListedRow[];
  ids: ReadonlySet<string>;
  /** Why an article that is not in `rows` may still be listed; undefined when the listing is complete. */
  incomplete?: string | undefined;
  /** With `newest`: whether there are as many rows as the site loads. What the listing lacks is then older. */
  isFull: boolean;
  /** The number of older articles; 0 if it is unknown, because the listing has no `count`. */
  older: number;
  /** The number of rows of a full page. Absent without a client. */
  pageSize?: number;
  notices: readonly Finding[];
}

/**
 * Reads the listing, or its newest rows, and compares each row with the mirror. The content of the rows is not kept in
 * memory: each page is reduced as it arrives. With `rows: 'whole'`, complete rows are written to the mirror.
 *
 * @throws {ArticlesRequestError | ArticlesListingError}
 */
export async function list(load: Load): Promise<Listing> {
  const { client, call, options } = load;
  if (!client) return listingOf(load);
  const { newest } = options;
  const rows = new Map<string, ListedRow>();
  const notices: Finding[] = [];
  const containsKey = createKeyFinder(options.apiKey);

  function addRow(listed: ListedArticle): void {
    // If a row is not used as the article, only these fields of it are stored. If they contain the key, the article is
    // fetched, and refused if it has the key.
    const stored = options.rows === 'whole' ? listed : { ...listed.extra, cover: listed.cover };
    const row = containsKey(JSON.stringify(stored)) ? { id: listed.id, extra: {} } : listed;
    const { id, article, extra, title, cover }: ListedArticle = row;
    const earlier = rows.get(id);
    let record = article && recordOf(article);
    // If a row differs between two walks, it is unknown which version is newer, so the article is fetched.
    if (earlier && earlier.record !== record && options.rows !== 'whole') record = undefined;
    const current = currentVersion(row, record, load);
    rows.set(id, { id, extra, title, cover, record, current });
    notices.push(...(article?.notes ?? []));
  }

  const reading = await readListing(client, {
    ...options,
    isWhole: options.rows === 'whole',
    call,
    onRows(page) {
      for (const row of page) addRow(row);
      load.onProgress({ listed: rows.size });
    },
  });
  const { problems, doubt, incomplete, length, pageSize, count } = reading;
  notices.push(...problems);
  if (doubt) {
    const { repeated, ...data } = doubt;
    notices.push({ code: 'listing-unreliable', ids: repeated, data });
  }
  const listed = reading.ids.flatMap((id) => rows.get(id) ?? []);
  return {
    ...withIds(listed),
    incomplete,
    isFull: newest !== undefined && length >= newest,
    older: newest === undefined ? 0 : Math.max(0, (count ?? 0) - length),
    pageSize,
    notices,
  };
}

/** Returns the articles of the mirror as a listing. `newest` may be lower than in the load that made the mirror. */
function listingOf({ mirror, options: { newest = Number.POSITIVE_INFINITY } }: Load): Listing {
  const { articles, older } = mirror.index;
  const rows = articles.slice(0, newest).map((current) => ({ id: current.id, extra: {}, current }));
  const surplus = articles.length - rows.length;
  return {
    ...withIds(rows),
    isFull: surplus > 0,
    older: older + surplus,
    notices: [],
  };
}

function withIds(rows: ListedRow[]) {
  return { rows, ids: new Set(rows.map(({ id }) => id)) };
}

/** Returns the version in the mirror that a row proves to be current. */
function currentVersion(
  row: ListedArticle,
  record: string | undefined,
  load: Load,
): IndexedArticle | undefined {
  const { mirror, before, options, renderer, sourceHash } = load;
  const { article } = row;
  const stored = before.get(row.id);
  const known = stored && mirror.has(stored.record) ? stored : undefined;
  if (options.rows === 'whole' && article && record) return wholeRow(article, record, known, load);
  if (!known || known.sourceHash !== sourceHash) return undefined;
  const current = withCoverOf(row, known, load);
  const { changedBy = undefined } = typeof options.rows === 'object' ? options.rows : {};
  if (changedBy && renderer.isReusable && provesUnchanged(known, row, changedBy))
    return known.row?.fields === hashOfRow(row) ? current : withRow(current, row, load);
  return known.record === record && known.rowIsWhole ? current : undefined;
}

/**
 * Returns a version with the cover URL of a row, whose signature may be newer. Keeps the known URL if the row has no cover,
 * or another cover, such as a thumbnail.
 */
function withCoverOf(
  { id, cover, article }: ListedArticle,
  known: IndexedArticle,
  { idsWithOldUrls }: Pick<Load, 'idsWithOldUrls'>,
): IndexedArticle {
  const isSame = cover !== undefined && unsigned(cover ?? '') === unsigned(known.cover ?? '');
  if (!article || !isSame) idsWithOldUrls.add(id);
  return isSame ? { ...known, cover } : known;
}

/** Returns the version that a row is itself. */
function wholeRow(
  article: Article,
  record: string,
  known: IndexedArticle | undefined,
  { mirror }: Pick<Load, 'mirror'>,
): IndexedArticle {
  // Written even if the mirror has it: its record may be corrupt, and no request could replace it.
  mirror.writeArticle(article);
  return known?.record === record
    ? { ...known, cover: article.cover_image }
    : indexArticle(article, { record });
}

/** Returns a version with the fields that only its row has, which have changed. */
function withRow(
  known: IndexedArticle,
  row: ListedArticle,
  { mirror }: Pick<Load, 'mirror'>,
): IndexedArticle | undefined {
  const stored = mirror.readArticle(known.record);
  if (!stored) return undefined;
  const { cover: cover_image, sourceHash, rowFields: former } = known;
  const own = Object.entries(stored.extra).filter(([name]) => !former?.includes(name));
  const article = withRowFields({ ...stored, cover_image, extra: Object.fromEntries(own) }, row);
  const { rowFields } = article;
  const record = mirror.writeArticle(article);
  const fields = known.row && { ...known.row, fields: hashOfRow(row) };
  return indexArticle(article, { record, sourceHash, rowFields, row: fields });
}
