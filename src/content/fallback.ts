import type { LoaderContext } from 'astro/loaders';
import { createArticlesClient } from '../client/client.ts';
import { ArticlesListingError, ArticlesMirrorError, ArticlesRequestError } from '../errors.ts';
import type { AttemptEvent } from '../http/request.ts';
import { titleDecoder } from '../render/html-text.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import { type LoadedCollection, loadCollection } from './load.ts';
import type { OpenedLoad } from './open-load.ts';

/**
 * The result of a load. `synced`: the entries are from the service. `kept`: they are from the mirror.
 * `nothing`: neither the service nor a mirror is available.
 */
export type LoadResult =
  | { status: 'synced' | 'kept'; loaded: LoadedCollection; error?: string | undefined }
  | { status: 'nothing'; error: string };

/** Milliseconds without a response after which a line says what the load is waiting for. */
const waitAnnounced = 10_000;

/**
 * Loads the articles from the service. Uses the mirror offline, or if the service is unavailable and the site prefers
 * older articles to a failure.
 */
export async function loadWithFallback(
  context: LoaderContext,
  opened: OpenedLoad,
  logger: Logger,
): Promise<LoadResult> {
  const { mirror, options, notices } = opened;
  const { syncedAt } = mirror.index;
  const age = describeAge(syncedAt);
  if (options.offline) {
    if (syncedAt === 0) {
      const message = `ARTICLES_OFFLINE is set, but ${mirror.folder} does not contain a usable mirror.`;
      throw new ArticlesMirrorError('mirror-empty', [message, ...mirror.notices].join(' '), {
        path: mirror.folder,
        hint: 'Run `npx astro sync` with access to the service, or restore the mirror from a backup.',
      });
    }
    logger.info(`Offline: using articles from ${age} ago. No request was made.`);
    return { status: 'kept', loaded: await loadCollection(context, opened) };
  }
  const known = notices.length;
  const onAttempt = ({ url, attempt, duration, failure }: AttemptEvent) => {
    const outcome = failure ? `failed: ${failure}` : 'ok';
    logger.debug(`GET ${url} (attempt ${attempt}, ${Math.round(duration)} ms) ${outcome}`);
  };
  const decodeTitle = titleDecoder(options.format);
  const client = createArticlesClient({ ...options, onAttempt }, { decodeTitle });
  const waiting = `Waiting for the first response of ${client.baseUrl.href} for ${waitAnnounced / 1000} s.`;
  const stopWaiting = systemClock.after(waitAnnounced, () => logger.info(waiting));
  const onProgress: OpenedLoad['onProgress'] = (progress) => {
    stopWaiting();
    opened.onProgress(progress);
  };
  try {
    const loaded = await loadCollection(context, { ...opened, onProgress }, client);
    return { status: 'synced', loaded };
  } catch (error) {
    // Caused by the service, and not by the site or this machine.
    const isListing = error instanceof ArticlesListingError;
    if (!isListing && !(error instanceof ArticlesRequestError)) throw error;
    if (options.failOn.includes('service') || (syncedAt === 0 && !context.watcher)) {
      const note =
        syncedAt > 0
          ? `The mirror has articles from ${age} ago. Without \`'service'\` in \`failOn\`, a build uses it.`
          : 'No earlier load has left articles that could be used instead.';
      // For a rejected key, the only fix is another key.
      if (error.code !== 'unauthorized') error.addNote(note);
      throw error;
    }
    // What the failed load found out says nothing about the articles that are shown.
    notices.length = known;
    const source = syncedAt > 0 ? `Using articles from ${age} ago` : 'There are no articles yet';
    const why = isListing ? 'the listing of the service is not used' : 'the service is unavailable';
    // A warning is a single line.
    const text = `${source}, because ${why}: ${error.message} ${error.hint ?? ''}`;
    notices.push({ kind: 'outage', ids: [], text: text.replaceAll('\n', ' ') });
    if (syncedAt === 0) return { status: 'nothing', error: error.message };
    const loaded = await loadCollection(context, opened);
    return { status: 'kept', loaded, error: error.message };
  } finally {
    stopWaiting();
  }
}

function describeAge(date: number): string {
  const minutes = Math.round((systemClock.date() - date) / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
