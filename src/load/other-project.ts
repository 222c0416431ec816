import { ArticlesListingError, type Notice } from '../errors.ts';
import { joinSome, quote } from '../messages.ts';
import type { IndexedArticle } from '../mirror/formats.ts';
import { isStored, type Listing, pickEvenly } from './list.ts';
import type { Load } from './load.ts';

/** The number of articles that are requested to find out whether the mirror is that of another project. */
const maxCompared = 20;

/**
 * Returns whether the key is another one than that of the last load, and no article has the title or the text that it had
 * then: the mirror is that of another project, whose articles and slugs mean nothing for this one.
 *
 * @throws {ArticlesListingError} `mass-removal`, if it is unknown because of articles that could not be fetched
 */
export async function isOtherProject({ rows }: Listing, load: Load): Promise<boolean> {
  const { client, call, before, mirror, options } = load;
  if (!client || before.size === 0 || mirror.isSameKey) return false;
  if (rows.some((row) => row.isStored)) return false;
  const listed = rows.flatMap(({ id }) => (before.has(id) ? id : []));
  const unknown: string[] = [];
  for (const id of pickEvenly(listed.length > 0 ? listed : [...before.keys()], maxCompared)) {
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
export function asOtherProject(listing: Listing, load: Load): { load: Load; notice: Notice } {
  const { published } = load;
  for (const row of listing.rows) delete row.current;
  const text =
    'The API key is another one, and no article has its stored title or text, so the articles and slugs of the mirror are ' +
    'not used. If two projects of one service are built in this folder, give each a `mirrorDir` of its own.';
  const before = new Map<string, IndexedArticle>();
  const without = {
    before,
    slugHistory: published,
    unlisted: new Set<string>(),
    idsWithOldUrls: new Set<string>(),
  };
  return { load: { ...load, ...without }, notice: { kind: 'other', ids: [], text } };
}
