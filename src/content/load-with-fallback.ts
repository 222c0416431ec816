import type { LoaderContext } from 'astro/loaders';
import { type ArticlesClient, createArticlesClient } from '../client/client.ts';
import {
  type ArticlesError,
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesRequestError,
} from '../errors.ts';
import type { AttemptEvent } from '../http/request.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger, Warning } from '../shared/logger.ts';
import { isShown } from '../sync/indexed-article.ts';
import { checkMassRemoval } from '../sync/mass-removal.ts';
import { type LoadedArticles, type LoadOptions, loadArticles } from '../sync/pipeline.ts';
import { type EntrySet, makeEntries } from './entries.ts';
import { siteAt } from './site-state.ts';

/**
 * The result of a load. `synced`: the entries are from the service. `kept`: they are from the mirror.
 * `nothing`: neither the service nor a mirror is available.
 */
export type LoadedEntries =
  | {
      status: 'synced' | 'kept';
      loaded: LoadedArticles;
      entrySet: EntrySet;
      warnings: Warning[];
      error?: string | undefined;
    }
  | { status: 'nothing'; warnings: Warning[]; error: string };

/**
 * Loads the articles from the service and makes their entries. Uses the mirror with `offline`, or if the service
 * is unavailable.
 */
export async function loadWithFallback(
  context: LoaderContext,
  loadOptions: LoadOptions & { logger: Logger; isSameSchema: boolean },
): Promise<LoadedEntries> {
  const { mirror, options, logger } = loadOptions;
  const { watcher } = context;
  const { syncedAt } = mirror.index;
  if (options.offline) {
    if (syncedAt === 0) throw offlineWithoutMirror(mirror.folder);
    logger.info(`Offline: using articles from ${describeAge(syncedAt)} ago. No request was made.`);
    return { status: 'kept', ...(await loadEntries()), warnings: [] };
  }
  try {
    const onAttempt = (event: AttemptEvent) => logger.debug(describeAttempt(event));
    // A `fetch` of the site may be different in each collection.
    const sharePage = options.fetch ? undefined : siteAt(context.config.root).sharePage;
    const client = createArticlesClient({ ...options, onAttempt }, { sharePage });
    return { status: 'synced', ...(await loadEntries(client)), warnings: [] };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (options.onUnavailable === 'fail' || (syncedAt === 0 && !watcher)) {
      throw withFallbackNote(error, syncedAt);
    }
    const source =
      syncedAt > 0
        ? `Using articles from ${describeAge(syncedAt)} ago`
        : 'There are no articles yet';
    const isListing = error instanceof ArticlesListingError;
    const why = isListing ? 'the listing of the service is not used' : 'the service is unavailable';
    // A warning is a single line.
    const text = `${source}, because ${why}: ${error.message} ${error.hint ?? ''}`.replaceAll(
      '\n',
      ' ',
    );
    const reasons = { warnings: [{ kind: 'outage' as const, text }], error: error.message };
    if (syncedAt === 0) return { status: 'nothing', ...reasons };
    return { status: 'kept', ...(await loadEntries()), ...reasons };
  }

  /** Loads the articles from the service or, without a client, from the mirror. */
  async function loadEntries(client?: ArticlesClient) {
    const loaded = client ? await loadOrWait(client) : await loadArticles(loadOptions);
    const entrySet = await makeEntries(context, loaded, loadOptions);
    // In dev, a page with too few articles is more useful than none.
    if (client || !watcher) {
      const shown = [...loaded.before.values()].filter(
        (article) => !article.hidden && isShown(article, options),
      );
      const after = new Set(entrySet.entries.map(({ version }) => version.article.id));
      const problems = [...loaded.problems, ...entrySet.problems];
      const { allowEmpty } = options;
      checkMassRemoval({ ...loaded, problems }, { before: shown, after, allowEmpty });
    }
    return { loaded, entrySet };
  }

  /** Loads the articles from the service, and says so if its first response takes long. */
  async function loadOrWait(client: ArticlesClient): Promise<LoadedArticles> {
    const line = `Waiting for the first response of ${client.baseUrl.href} since ${waitAnnounced / 1000} s.`;
    const stopWaiting = systemClock.after(waitAnnounced, () => logger.info(line));
    const onProgress: LoadOptions['onProgress'] = (progress) => {
      stopWaiting();
      loadOptions.onProgress?.(progress);
    };
    return loadArticles({ ...loadOptions, client, onProgress }).finally(stopWaiting);
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
      ? `The mirror has articles from ${describeAge(syncedAt)} ago: \`onUnavailable: "keep"\` builds from it.`
      : 'No earlier load has left articles that could be used instead.',
  );
  return error;
}

function offlineWithoutMirror(folder: string): ArticlesMirrorError {
  return new ArticlesMirrorError(
    'mirror-empty',
    `\`offline\` is set, but ${folder} does not contain a mirror.`,
    {
      path: folder,
      hint: 'Build once with access to the service, or restore the mirror from a backup.',
    },
  );
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
