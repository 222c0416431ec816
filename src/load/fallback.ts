import { createArticlesClient } from '../client/client.ts';
import { ArticlesListingError, ArticlesMirrorError, ArticlesRequestError } from '../errors.ts';
import type { Traffic } from '../http/request.ts';
import { createSend } from '../node/http-client.ts';
import type { SeenFinding } from '../shared/finding.ts';
import type { Logger } from '../shared/logger.ts';
import { type LoadedCollection, loadCollection, type OpenedLoad } from './load-collection.ts';

/**
 * The result of a load. `synced`: the entries are from the service. `kept`: they are from the mirror.
 * `nothing`: neither the service nor a mirror is available.
 */
export interface LoadResult {
  status: 'synced' | 'kept' | 'nothing';
  /** Absent for `nothing`. */
  loaded?: LoadedCollection;
  /** The finding that says why the service was not used. */
  outage?: SeenFinding<'outage'>;
  /** The requests to the service, also without a usable response. Absent without a client. */
  traffic?: Traffic;
}

/**
 * Loads the articles from the service. Uses the mirror offline, or if the service fails and the site prefers older
 * articles to a failure.
 */
export async function loadWithFallback(opened: OpenedLoad, logger: Logger): Promise<LoadResult> {
  if (opened.options.offline) return loadOffline(opened, logger);
  const client = createArticlesClient(opened.options, { send: createSend() });
  try {
    const loaded = await loadCollection(opened, client);
    return { status: 'synced', loaded, traffic: client.traffic() };
  } catch (error) {
    // Caused by the service, and not by the site or this machine.
    const isOfService =
      error instanceof ArticlesListingError || error instanceof ArticlesRequestError;
    if (!isOfService) throw error;
    return { ...(await loadKept(opened, error)), traffic: client.traffic() };
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
  logger.info(`Offline: using ${describeMirror(opened)}. No request was made.`);
  return { status: 'kept', loaded: await loadCollection(opened) };
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
      ? `The mirror has ${describeMirror(opened)}. With \`failOn: ['articles']\`, a build uses it.`
      : 'No earlier load has left articles that could be used instead.';
    // For a rejected key, the only fix is another key.
    if (error.code !== 'unauthorized') error.addNote([note, ...mirror.notices].join(' '));
    throw error;
  }
  const { message, hint } = error;
  const source = hasArticles ? describeMirror(opened) : undefined;
  const outage = { code: 'outage', ids: [], data: { source, message, hint } } as const;
  if (!hasArticles) return { status: 'nothing', outage };
  return { status: 'kept', loaded: await loadCollection(opened), outage };
}

/** Describes the articles of the mirror by the time of the load that has written it. */
function describeMirror({ mirror }: OpenedLoad): string {
  const { syncedAt } = mirror.index;
  return syncedAt === undefined
    ? 'the articles of the last load'
    : `articles from ${new Date(syncedAt).toUTCString()}`;
}
