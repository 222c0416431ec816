import { createArticlesClient } from '../client/client.ts';
import {
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesRequestError,
  type Notice,
} from '../errors.ts';
import type { Logger } from '../shared/logger.ts';
import { type LoadedCollection, loadCollection, type OpenedLoad } from './load-collection.ts';

/**
 * The result of a load. `synced`: the entries are from the service. `kept`: they are from the mirror.
 * `nothing`: neither the service nor a mirror is available.
 */
export type LoadResult =
  | { status: 'synced' | 'kept'; loaded: LoadedCollection; error?: string; outage: Notice[] }
  | { status: 'nothing'; error: string; outage: Notice[] };

/**
 * Loads the articles from the service. Uses the mirror offline, or if the service is unavailable and the site prefers
 * older articles to a failure.
 */
export async function loadWithFallback(opened: OpenedLoad, logger: Logger): Promise<LoadResult> {
  if (opened.options.offline) return loadOffline(opened, logger);
  try {
    const client = createArticlesClient(opened.options);
    return { status: 'synced', loaded: await loadCollection(opened, client), outage: [] };
  } catch (error) {
    // Caused by the service, and not by the site or this machine.
    const isOfService =
      error instanceof ArticlesListingError || error instanceof ArticlesRequestError;
    if (!isOfService) throw error;
    return loadKept(opened, error);
  }
}

async function loadOffline(opened: OpenedLoad, logger: Logger): Promise<LoadResult> {
  const { mirror } = opened;
  if (mirror.isEmpty) {
    const message = `ARTICLES_OFFLINE is set, but ${mirror.folder} does not contain a usable mirror.`;
    throw new ArticlesMirrorError('mirror-empty', [message, ...mirror.notices].join(' '), {
      hint: 'Run `npx astro sync` with access to the service, or restore the mirror from a backup.',
    });
  }
  logger.info(`Offline: using ${describeArticles(opened)}. No request was made.`);
  return { status: 'kept', loaded: await loadCollection(opened), outage: [] };
}

/**
 * Loads the articles of the mirror after a failure of the service.
 *
 * @throws the failure, if the site prefers it to older articles, or there are none
 */
async function loadKept(
  opened: OpenedLoad,
  error: ArticlesListingError | ArticlesRequestError,
): Promise<LoadResult> {
  const { mirror, options, astro } = opened;
  const hasArticles = !mirror.isEmpty;
  if (options.failOn.includes('service') || !(hasArticles || astro.isDev)) {
    const note = hasArticles
      ? `The mirror has ${describeArticles(opened)}. With \`failOn: ['articles']\`, a build uses it.`
      : 'No earlier load has left articles that could be used instead.';
    // For a rejected key, the only fix is another key.
    if (error.code !== 'unauthorized') error.addNote([note, ...mirror.notices].join(' '));
    throw error;
  }
  const source = hasArticles ? `Using ${describeArticles(opened)}` : 'No article was loaded';
  const why =
    error instanceof ArticlesListingError
      ? 'the listing of the service is not used'
      : 'the service is unavailable';
  // A warning is a single line.
  const text = `${source}, because ${why}: ${error.message} ${error.hint}`.replaceAll('\n', ' ');
  const outage: Notice[] = [{ kind: 'outage', ids: [], text }];
  if (!hasArticles) return { status: 'nothing', error: error.message, outage };
  return { status: 'kept', loaded: await loadCollection(opened), error: error.message, outage };
}

/** Describes the articles of the mirror by the time of the load that has written it. */
function describeArticles({ mirror }: OpenedLoad): string {
  const { syncedAt } = mirror.index;
  return syncedAt === undefined
    ? 'the articles of the last load'
    : `articles from ${new Date(syncedAt).toUTCString()}`;
}
