import { createArticlesClient } from '../client/client.ts';
import type { AttemptEvent } from '../client/http/request.ts';
import {
  type ArticleProblem,
  type ArticlesError,
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesRequestError,
  describeProblem,
} from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import type { Logger, Warning } from '../report/load-report.ts';
import { systemClock } from '../shared/clock.ts';
import { type SyncOptions, type SyncReport, sync, type UsedImageProblem } from './sync.ts';

export interface UpdateOptions {
  options: ResolvedOptions;
  logger: Pick<Logger, 'info' | 'warn' | 'debug'>;
  /** Makes an article ready as soon as it is fetched: see `sync()`. */
  prepare?: SyncOptions['prepare'];
  fingerprint?: SyncOptions['fingerprint'];
  /** Whether this is `astro dev`, which goes on even without any article. */
  dev: boolean;
  /** Told often how far the sync is. */
  onProgress: NonNullable<SyncOptions['onProgress']>;
}

const shownWarnings = 50;

/** What came of it. `nothing`: there is neither an answer of the service nor a mirror. */
export type Updated =
  | { status: 'synced'; report: SyncReport }
  | { status: 'kept' | 'nothing'; reason?: string };

/** Brings the mirror up to date, or says loudly why the site goes on with what it has. */
export async function update(
  mirror: Mirror,
  { options, logger, prepare, fingerprint, dev, onProgress }: UpdateOptions,
): Promise<Updated> {
  const { syncedAt } = mirror.index;
  if (options.offline) {
    if (syncedAt === 0) throw offlineWithoutMirror(mirror.folder);
    logger.info(`Offline: using the mirror of ${age(syncedAt)} ago, no request was made.`);
    return { status: 'kept' };
  }

  const onAttempt = (event: AttemptEvent) => logger.debug(describeAttempt(event));
  const client = createArticlesClient({ ...options, onAttempt });
  try {
    const report = await sync({ client, mirror, options, prepare, fingerprint, onProgress });
    warn(report, logger);
    return { status: 'synced', report };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const mayGoOn = options.onUnavailable === 'keep' && (syncedAt > 0 || dev);
    if (!mayGoOn) throw withFallback(error, syncedAt);
    const kept =
      syncedAt === 0 ? 'There is no mirror yet' : `Using the mirror of ${age(syncedAt)} ago`;
    logger.warn(
      `THE ARTICLES ARE NOT UP TO DATE. ${kept}: ${error.message}${hintOf(error)}`,
      'outage',
    );
    return { status: syncedAt > 0 ? 'kept' : 'nothing', reason: error.message };
  }
}

/** What the service can be blamed for; anything else is ours or the machine's and must be seen. */
function isUnavailable(error: unknown): error is ArticlesError {
  return error instanceof ArticlesRequestError || error instanceof ArticlesListingError;
}

function withFallback(error: ArticlesError, syncedAt: number): ArticlesError {
  // A key that is refused today is to be mended, not built around.
  if (error.code === 'unauthorized') return error;
  error.message +=
    syncedAt > 0
      ? ` The last good state is ${age(syncedAt)} old: \`onUnavailable: "keep"\` would build from it.`
      : ' There is no mirror of this service to build from.';
  return error;
}

function warn(report: SyncReport, logger: UpdateOptions['logger']): void {
  const { problems, images, unproven } = report;
  if (unproven) {
    logger.warn(`Nothing was removed, since the listing proves nothing: ${unproven}.`, 'listing');
  }
  const warnings: Warning[] = [
    ...problems.map((problem) => ({ kind: 'articles' as const, text: describeInvalid(problem) })),
    ...images.map((image) => ({ kind: 'images' as const, text: describeImage(image) })),
  ];
  for (const { kind, text } of warnings.slice(0, shownWarnings)) logger.warn(text, kind);
  const more = warnings.length - shownWarnings;
  if (more > 0) logger.warn(`… and ${more} more.`);
}

function describeInvalid(problem: ArticleProblem): string {
  return `${describeProblem(problem)}. Its last good version stays, if any.`;
}

function describeImage({ url, reason, kept, articles, isCover }: UsedImageProblem): string {
  const users = `${articles.length === 1 ? 'article' : 'articles'} ${articles.join(', ')}`;
  const left = isCover ? 'There is no cover.' : 'It stays a remote image.';
  return `${isCover ? 'Cover' : 'Image'} ${url} of ${users}: ${reason}. ${kept ? 'The last good file stays.' : left}`;
}

function describeAttempt({ url, attempt, duration, failure }: AttemptEvent): string {
  const outcome = failure ? `failed: ${failure}` : 'ok';
  return `GET ${url} (attempt ${attempt}, ${Math.round(duration)} ms) ${outcome}`;
}

/** How long ago something was, in the largest unit that fits. */
function age(date: number): string {
  const minutes = Math.max(0, Math.round((systemClock.date() - date) / 60_000));
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}

function hintOf({ hint }: ArticlesError): string {
  return hint ? ` ${hint}` : '';
}

function offlineWithoutMirror(folder: string): ArticlesMirrorError {
  return new ArticlesMirrorError(
    'mirror-empty',
    `\`offline\` is set, but there is no mirror in ${folder}.`,
    {
      path: folder,
      hint: 'Build once with the service within reach, or restore the mirror from where it was kept.',
    },
  );
}
