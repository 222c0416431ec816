import { mkdir, writeFile } from 'node:fs/promises';
import type { AstroConfig } from 'astro';
import { ArticlesError, ArticlesRequestError } from '../errors.ts';
import { redactNothing } from '../http/api-key.ts';
import { FailureError } from '../http/failure.ts';
import { createRequester } from '../http/request.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import { userAgent } from '../shared/version.ts';
import { decodeHistory, encodeHistory, type PathHistory } from './history.ts';

/** The path of the file in the build output, below `base`. */
const filePath = '_articles/paths.jsonl';
/** About 500,000 articles. */
const maxHistoryBytes = 64_000_000;
const attemptTimeoutMs = 10_000;
const totalTimeoutMs = 25_000;
const hint =
  'If this is the first build for a new host, which has no history yet, set the environment variable ' +
  'ARTICLES_REDIRECTS=best-effort for this one build. Otherwise, correct `site` in astro.config, or build again when ' +
  'the site responds: the new site would replace its history, and former URLs of renamed articles would be lost.';

const formerUrl =
  'If the site had another URL, run `astro sync` with that `site` and `base` once, and keep the cache.';

/** Matches hosts that no published site has: reserved names (RFC 2606, RFC 6761), and this machine. */
const unpublishedHost = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/;

/**
 * Reads the history of paths that the last build published with the site, before a build replaces it. It is empty if
 * astro.config names no site that can exist, or if the site itself responds 404 or 410. A name that is not found proves
 * nothing: a name server may fail, and the name server of a company may not know the site.
 *
 * @param options `isBestEffort`: a history that cannot be read is empty, with a warning, and not an error
 * @throws {ArticlesError} `history-unavailable`
 */
export async function readPublished(
  config: Pick<AstroConfig, 'site' | 'base'>,
  { isBestEffort, logger }: { isBestEffort: boolean; logger: Pick<Logger, 'info' | 'warn'> },
): Promise<PathHistory> {
  const none: PathHistory = new Map();
  if (isUnpublished(config)) return none;
  const url = new URL(config.base.replace(/\/?$/, `/${filePath}`), config.site);
  const requester = createRequester({
    fetch: globalThis.fetch,
    // A CDN has to check with the site whether its copy is current.
    headers: { accept: 'application/json', 'cache-control': 'no-cache', 'user-agent': userAgent },
    // A 404 of another origin would say nothing about this site.
    redirects: 'same-origin',
    redact: redactNothing,
    clock: systemClock,
    concurrency: 1,
    timeout: attemptTimeoutMs,
    retry: { limit: 2, maxDelay: attemptTimeoutMs },
  });
  /** @throws {FailureError} when the response is not a whole history */
  const read = (body: Uint8Array, { status }: Pick<Response, 'status'>) => {
    if (status !== 200) return undefined;
    const file = decodeHistory(new TextDecoder().decode(body), url.href);
    if (file?.isWhole) return file;
    const reason = 'the response is not a whole history of paths';
    throw new FailureError({ code: 'unexpected-shape', reason });
  };
  const spec = { url, maxBytes: maxHistoryBytes, acceptStatus: [200, 404, 410], read };
  const until = { deadline: systemClock.now() + totalTimeoutMs };
  const file = await requester.request(spec, until).catch((error) => {
    if (!(error instanceof ArticlesRequestError)) throw error;
    const message = `The history of paths could not be read from ${url.href}: ${error.reason}.`;
    if (!isBestEffort) throw new ArticlesError('history-unavailable', message, { hint });
    const effect = 'Former URLs that only this history contains have no redirects from now on.';
    return { history: none, notice: `${message} ${effect}` };
  });
  if (!file)
    logger.info(`No build has published a history of paths at ${url.href} yet. ${formerUrl}`);
  if (file?.notice) logger.warn(file.notice);
  return file?.history ?? none;
}

/** Returns whether astro.config names no site that can have been published. */
export function isUnpublished({ site = 'http://localhost' }: Pick<AstroConfig, 'site'>): boolean {
  return unpublishedHost.test(new URL(site).hostname);
}

/** Writes the history of all collections into the folder that is published. */
export async function writePublished(history: PathHistory, dir: URL): Promise<void> {
  const file = new URL(filePath, dir);
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, encodeHistory(history));
}

/** Returns the key of an article in the history of all collections. */
export function keyOf(collection: string, id: string): string {
  return `${encodeURIComponent(collection)}/${id}`;
}

/** Returns the history of a collection, as it is in that of all collections. */
export function withCollection(history: PathHistory, collection: string): PathHistory {
  return new Map([...history].map(([id, pages]) => [keyOf(collection, id), pages]));
}

/** Returns the lines of a collection, as they are in its mirror. */
export function ofCollection(history: PathHistory, collection: string): PathHistory {
  const prefix = keyOf(collection, '');
  const own = [...history].filter(([key]) => key.startsWith(prefix));
  return new Map(own.map(([key, pages]) => [key.slice(prefix.length), pages]));
}
