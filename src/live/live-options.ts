import * as z from 'zod';
import { type ArticlesClient, createArticlesClient } from '../client/client.ts';
import type { RetryOptions } from '../client/http/retry.ts';
import { ranges } from '../client/option-ranges.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { checkOptions } from '../options/check-options.ts';
import { optionsSchema, wholeNumber } from '../options/options.ts';
import { merge } from '../options/resolve-options.ts';
import type { Widening } from '../render/sanitize.ts';

const liveSchema = optionsSchema.pick({
  baseUrl: true,
  apiKey: true,
  concurrency: true,
  timeout: true,
  totalTimeout: true,
  retry: true,
  maxBytes: true,
  sanitize: true,
  drafts: true,
  onInvalid: true,
  fetch: true,
});

/** What a user may set for a live collection; each means the same as for one that is built. */
export type LiveArticlesOptions = z.input<typeof liveSchema>;

/** What differs from a build: somebody waits for the page. Edge hosts allow six requests at once. */
export const liveDefaults = {
  concurrency: 6,
  timeout: 5_000,
  totalTimeout: 10_000,
  retry: { limit: 1, maxDelay: 2_000 },
  sanitize: true,
  drafts: 'skip',
  onInvalid: 'keep',
} as const satisfies LiveArticlesOptions;

/** The options in force. */
export type LiveSettings = LiveArticlesOptions & {
  totalTimeout: number;
  retry: RetryOptions;
  sanitize: boolean | Widening;
  drafts: 'skip' | 'include';
  onInvalid: 'fail' | 'keep';
};

/** Which article to load. */
export interface ArticleFilter {
  id: string;
}

/** Which part of the listing to load. */
export interface ArticlesFilter {
  /** How many articles at most, 1–500 (contract, section 8). @default 20 */
  limit?: number | undefined;
  /** How many to pass over. @default 0 */
  offset?: number | undefined;
}

const articleFilterSchema = z.strictObject({ id: z.string() });

const articlesFilterSchema = z.strictObject({
  limit: wholeNumber(ranges.pageSize, ' (the service allows no more)').default(20),
  offset: wholeNumber([0, Number.MAX_SAFE_INTEGER]).default(0),
});

/** @throws {ArticlesOptionsError} for an option that is unknown or out of range */
export function parseLiveOptions(given: unknown): LiveSettings {
  const options = checkOptions(liveSchema, given, 'liveArticlesLoader()');
  return merge<LiveSettings>(
    { ...liveDefaults, retry: { ...liveDefaults.retry, countThrottled: true } },
    options,
  );
}

/** @throws {ArticlesOptionsError} for anything but an id: the service knows no other name */
export function parseArticleFilter(filter: unknown): ArticleFilter {
  return checkOptions(articleFilterSchema, filter, 'getLiveEntry()');
}

/** @throws {ArticlesOptionsError} for a filter that is unknown or out of range */
export function parseArticlesFilter(filter: unknown): { limit: number; offset: number } {
  return checkOptions(articlesFilterSchema, filter, 'getLiveCollection()');
}

/**
 * Makes a client for one load. Nothing is shared between two: on some hosts a request may not wait
 * for what another one began.
 *
 * @throws {ArticlesOptionsError} when address or key is missing or cannot be used
 */
export function connect(settings: LiveSettings): ArticlesClient {
  const { baseUrl, apiKey } = settings;
  if (!baseUrl) throw missing('base-url-missing', 'address of the service', 'baseUrl');
  if (!apiKey) throw missing('key-missing', 'API key', 'apiKey');
  return createArticlesClient({ ...settings, baseUrl, apiKey });
}

function missing(code: 'base-url-missing' | 'key-missing', what: string, option: string) {
  const variable = option === 'apiKey' ? 'ARTICLES_API_KEY' : 'ARTICLES_BASE_URL';
  return new ArticlesOptionsError(code, `The ${what} is not set.`, {
    hint: `Give \`${option}\` to liveArticlesLoader(), for example as getSecret('${variable}') of astro:env/server, and set ${variable} where the site runs.`,
  });
}
