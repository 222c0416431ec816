import * as z from 'zod';
import { createRedact } from '../client/http/api-key.ts';
import type { Fetch } from '../client/http/attempt.ts';
import { readJson } from '../client/http/json.ts';
import { createRequester } from '../client/http/request.ts';
import { ArticlesRequestError } from '../errors.ts';
import type { SlugHistory } from '../mirror/index-file.ts';
import { slugOf } from '../render/slug.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { userAgent } from '../shared/version.ts';

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
/** File systems limit a name to 255 bytes, with its extension. */
const maxSlugBytes = 250;

const fileSchema = z.strictObject({
  version: z.literal(version),
  // Pairs, because an id may be "__proto__".
  collections: z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.array(z.string())]))])),
});

/** Writes the history as JSON. Equal histories give equal text. */
export function encodeHistory(history: SiteHistory): string {
  const collections = sorted(history).map(([name, slugs]) => [name, sorted(slugs)]);
  return `${JSON.stringify({ version, collections })}\n`;
}

/**
 * Reads the history that an earlier build published with the site. The file is not trusted: a slug that
 * does not end with the slug form of its id is ignored, so that no redirect can lead to another article.
 *
 * @param home the URL of the site, with `base`
 */
export async function readPublishedHistory(
  home: URL,
  fetch: Fetch,
  clock: Clock = systemClock,
): Promise<PublishedHistory> {
  const url = new URL(historyPath, home.href.endsWith('/') ? home : `${home}/`);
  const requester = createRequester({
    fetch,
    headers: { accept: 'application/json', 'user-agent': userAgent },
    redirects: 'same-origin',
    redact: createRedact(''),
    clock,
    concurrency: 1,
    timeout: attemptTimeout,
    retry: { limit: 2, maxDelay: attemptTimeout, countThrottled: true },
  });
  try {
    const value = await requester.request(
      {
        url,
        maxBytes,
        acceptStatus: [200, 404],
        read: (body, response) => (response.status === 404 ? undefined : readJson(body, response)),
      },
      { deadline: clock.now() + totalTimeout },
    );
    if (value === undefined) return { status: 'none' };
    const file = fileSchema.safeParse(value);
    if (file.success) return { status: 'read', history: await checkedHistory(file.data) };
    return { status: 'unreadable', url: url.href, reason: 'the file has an unknown format' };
  } catch (error) {
    if (!(error instanceof ArticlesRequestError)) throw error;
    const reason = error.code === 'redirect' ? 'its redirect could not be followed' : error.reason;
    return { status: 'unreadable', url: url.href, reason };
  }
}

/** Whether a text can be a slug, which is used as a path segment and as a file name. */
export function isSlug(text: string): boolean {
  const isShort = new TextEncoder().encode(text).length <= maxSlugBytes;
  return isShort && /^[\p{L}\p{M}\p{N}]+(-[\p{L}\p{M}\p{N}]+)*$/u.test(text);
}

async function checkedHistory({ collections }: z.infer<typeof fileSchema>): Promise<SiteHistory> {
  const history = new Map<string, Map<string, string[]>>();
  for (const [name, articles] of collections) {
    const checked = new Map<string, string[]>();
    for (const [id, slugs] of articles) {
      const end = await slugOf({ id, title: '' });
      const isOfArticle = (slug: string) => slug === end || slug.endsWith(`-${end}`);
      const valid = slugs.slice(-maxSlugs).filter((slug) => isSlug(slug) && isOfArticle(slug));
      if (valid.length > 0) checked.set(id, valid);
    }
    history.set(name, checked);
  }
  return history;
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
