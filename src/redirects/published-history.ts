import * as z from 'zod';
import { ArticlesRequestError } from '../errors.ts';
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

export type PublishedHistory =
  | { status: 'read'; history: SiteHistory }
  /** The site has no history. */
  | { status: 'none' }
  | { status: 'unreadable'; url: string; reason: string };

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
 * Reads the history that an earlier build published with the site. A host that does not exist yet, and the status
 * 404 or 410, mean that no build was published.
 *
 * @param home the URL of the site, with `base`
 */
export async function readPublishedHistory(
  home: URL,
  fetch: Fetch,
  clock: Clock = systemClock,
): Promise<PublishedHistory> {
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
    if (value === undefined) return { status: 'none' };
    const file = fileSchema.safeParse(value);
    if (file.success) return { status: 'read', history: checkedHistory(file.data) };
    return { status: 'unreadable', url: url.href, reason: 'the file has an unknown format' };
  } catch (error) {
    if (!(error instanceof ArticlesRequestError)) throw error;
    if (error.code === 'dns') return { status: 'none' };
    const reason = error.code === 'redirect' ? 'its redirect could not be followed' : error.reason;
    return { status: 'unreadable', url: url.href, reason };
  }
}

function checkedHistory({ collections }: z.infer<typeof fileSchema>): SiteHistory {
  const checked = ([id, slugs]: [string, string[]]) =>
    [id, slugs.slice(-maxSlugs).filter(isSlug)] as const;
  return new Map(collections.map(([name, articles]) => [name, new Map(articles.map(checked))]));
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
