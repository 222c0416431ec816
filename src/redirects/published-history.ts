import * as z from 'zod';
import { ArticlesError, ArticlesRequestError } from '../errors.ts';
import { createRedact } from '../http/api-key.ts';
import type { Fetch } from '../http/attempt.ts';
import { readJson } from '../http/json.ts';
import { createRequester } from '../http/request.ts';
import { isSlug } from '../render/slug.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { userAgent } from '../shared/version.ts';
import type { SlugHistory } from './history.ts';

/** The slug histories of a site, by collection. */
export type SiteHistory = ReadonlyMap<string, SlugHistory>;

/** The path of the history in the build output, below `base`. */
export const historyPath = '_articles/addresses.json';

const version = 1;
const maxBytes = 16_000_000;
const attemptTimeout = 10_000;
const totalTimeout = 25_000;
const maxSlugs = 100;

const fileSchema = z.strictObject({
  version: z.literal(version),
  // Pairs, because an id may be "__proto__".
  collections: z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.array(z.string())]))])),
});

/**
 * Writes the history as JSON. Equal histories give equal text.
 *
 * @param others articles that are left out if the next build could not read them all
 */
export function encodeHistory(history: SiteHistory, others?: SiteHistory): string {
  const text = textOf(history, others);
  return Buffer.byteLength(text) > maxBytes ? textOf(history) : text;
}

function textOf(history: SiteHistory, others?: SiteHistory): string {
  const collections = sorted(history).map(([name, slugs]) => [
    name,
    sorted(new Map([...slugs, ...(others?.get(name) ?? [])])),
  ]);
  return `${JSON.stringify({ version, collections })}\n`;
}

/**
 * Reads the history that an earlier build published with the site; undefined when no build has published one: the
 * host does not exist yet, or responds 404 or 410.
 *
 * @param home the URL of the site, with `base`
 * @throws {ArticlesError} `history-unavailable`
 */
export async function readPublishedHistory(
  home: URL,
  fetch: Fetch,
  clock: Clock = systemClock,
): Promise<SiteHistory | undefined> {
  const url = new URL(historyPath, home.href.replace(/\/?$/, '/'));
  const requester = createRequester({
    fetch,
    // A CDN has to check with the site whether its copy is current.
    headers: { accept: 'application/json', 'cache-control': 'no-cache', 'user-agent': userAgent },
    redirects: 'same-origin',
    redact: createRedact(''),
    clock,
    concurrency: 1,
    timeout: attemptTimeout,
    retry: { limit: 2, maxDelay: attemptTimeout },
  });
  try {
    const value = await requester.request(
      {
        url,
        maxBytes,
        acceptStatus: [200, 404, 410],
        read: (body, response) => (response.status === 200 ? readJson(body, response) : undefined),
      },
      { deadline: clock.now() + totalTimeout },
    );
    if (value === undefined) return undefined;
    const file = fileSchema.safeParse(value);
    if (!file.success) throw unavailable(url, 'the file has an unknown format');
    return checkedHistory(file.data);
  } catch (error) {
    if (!(error instanceof ArticlesRequestError)) throw error;
    if (error.code === 'dns') return undefined;
    const reason = error.code === 'redirect' ? 'its redirect could not be followed' : error.reason;
    throw unavailable(url, reason);
  }
}

function unavailable({ href }: URL, reason: string): ArticlesError {
  const message = `The history of slugs could not be read from ${href}: ${reason}.`;
  return new ArticlesError('history-unavailable', message, {
    hint:
      'The new site would replace it, and former URLs of renamed articles would be lost. Build again when the site ' +
      "responds. To build without it, set `redirects: 'best-effort'` or ARTICLES_REDIRECTS=best-effort.",
  });
}

function checkedHistory({ collections }: z.infer<typeof fileSchema>): SiteHistory {
  const checked = ([id, slugs]: [string, string[]]) =>
    [id, slugs.slice(-maxSlugs).filter(isSlug)] as const;
  return new Map(collections.map(([name, articles]) => [name, new Map(articles.map(checked))]));
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
