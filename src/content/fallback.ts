import type { LoaderContext } from 'astro/loaders';
import { type ArticlesClient, createArticlesClient } from '../client/client.ts';
import {
  type ArticlesError,
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesRequestError,
} from '../errors.ts';
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
  if (options.offline) {
    if (syncedAt === 0) throw offlineWithoutMirror(mirror.folder, mirror.notices);
    logger.info(`Offline: using articles from ${describeAge(syncedAt)} ago. No request was made.`);
    return { status: 'kept', loaded: await loadCollection(context, opened) };
  }
  const known = notices.length;
  try {
    const onAttempt = (event: AttemptEvent) => logger.debug(describeAttempt(event));
    const decodeTitle = titleDecoder(options.format);
    const client = createArticlesClient({ ...options, onAttempt }, { decodeTitle });
    return { status: 'synced', loaded: await loadOrWait(client) };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (options.failOn.includes('service') || (syncedAt === 0 && !context.watcher)) {
      throw withFallbackNote(error, syncedAt);
    }
    // What the failed load found out says nothing about the articles that are shown.
    notices.length = known;
    const source =
      syncedAt > 0
        ? `Using articles from ${describeAge(syncedAt)} ago`
        : 'There are no articles yet';
    const isListing = error instanceof ArticlesListingError;
    const why = isListing ? 'the listing of the service is not used' : 'the service is unavailable';
    // A warning is a single line.
    const text = `${source}, because ${why}: ${error.message} ${error.hint ?? ''}`;
    notices.push({ kind: 'outage', ids: [], text: text.replaceAll('\n', ' ') });
    if (syncedAt === 0) return { status: 'nothing', error: error.message };
    const loaded = await loadCollection(context, opened);
    return { status: 'kept', loaded, error: error.message };
  }

  /** Loads the articles from the service, and says so if its first response takes long. */
  function loadOrWait(client: ArticlesClient): Promise<LoadedCollection> {
    const line = `Waiting for the first response of ${client.baseUrl.href} for ${waitAnnounced / 1000} s.`;
    const stopWaiting = systemClock.after(waitAnnounced, () => logger.info(line));
    const onProgress: OpenedLoad['onProgress'] = (progress) => {
      stopWaiting();
      opened.onProgress(progress);
    };
    return loadCollection(context, { ...opened, onProgress }, client).finally(stopWaiting);
  }
}

/** Milliseconds without a response after which a line says what the load is waiting for. */
const waitAnnounced = 10_000;

/** Whether the service caused an error, and not the site or this machine. */
function isUnavailable(error: unknown): error is ArticlesError {
  return error instanceof ArticlesRequestError || error instanceof ArticlesListingError;
}

function withFallbackNote(error: ArticlesError, syncedAt: number): ArticlesError {
  // For a rejected key, the only fix is another key.
  if (error.code === 'unauthorized') return error;
  error.addNote(
    syncedAt > 0
      ? `The mirror has articles from ${describeAge(syncedAt)} ago. Without \`'service'\` in \`failOn\`, a build uses it.`
      : 'No earlier load has left articles that could be used instead.',
  );
  return error;
}

function offlineWithoutMirror(folder: string, notices: readonly string[]): ArticlesMirrorError {
  const message = `ARTICLES_OFFLINE is set, but ${folder} does not contain a usable mirror.`;
  return new ArticlesMirrorError('mirror-empty', [message, ...notices].join(' '), {
    path: folder,
    hint: 'Run `npx astro sync` with access to the service, or restore the mirror from a backup.',
  });
}

function describeAge(date: number): string {
  const minutes = Math.round((systemClock.date() - date) / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

function describeAttempt({ url, attempt, duration, failure }: AttemptEvent): string {
  const outcome = failure ? `failed: ${failure}` : 'ok';
  return `GET ${url} (attempt ${attempt}, ${Math.round(duration)} ms) ${outcome}`;
}
