import * as z from 'zod';
import {
  type ArticlesClient,
  type CallOptions,
  type ClientLimits,
  createArticlesClient,
} from '../client/client.ts';
import { listingPart } from '../client/client-options.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { type ArticlesOptions, optionsSchema } from '../options/options.ts';
import type { MarkdownSettings } from '../render/markdown-settings.ts';
import type { createSiteRenderer } from '../render/render-article.ts';
import { type FieldsOf, milliseconds } from '../shared/check-options.ts';
import { isDevServer } from './is-dev-server.ts';

const { concurrency, retries } = optionsSchema.shape;

/** The options that have the same meaning as in a collection that is built. */
type SharedOptions = Pick<
  ArticlesOptions,
  'query' | 'fetch' | 'format' | 'transform' | 'sanitize' | 'links' | 'drafts'
>;

interface LiveOptions extends SharedOptions {
  /** The URL of the service. Nothing is read from the environment: pass `getSecret('ARTICLES_BASE_URL')`. */
  baseUrl?: string | undefined;
  /** The API key of the project. Nothing is read from the environment: pass `getSecret('ARTICLES_API_KEY')`. */
  apiKey?: string | undefined;
  /** The number of concurrent requests for one page. Edge hosts allow six. @default 6 */
  concurrency?: number | undefined;
  /** The time limit of one attempt in milliseconds, of which a reader waits 10 seconds at most. @default 5_000 */
  timeout?: number | undefined;
  /** The number of retries per request. @default 1 */
  retries?: number | undefined;
  /**
   * The settings below `markdown` in astro.config, with their `processor`, so that live pages have the site's plugins and
   * code theme. For hosts with Node. @default a small renderer for all hosts
   */
  render?: MarkdownSettings | undefined;
}

/**
 * The options of `articlesLoader()` that have no effect in live collections, which neither store articles nor download
 * images. They are accepted, so that one object has the options of built and of live pages.
 */
export interface OptionsOfBuilds extends Omit<ArticlesOptions, keyof LiveOptions> {
  with?: object | undefined;
}

/** The options of a live collection: the options of `articlesLoader()`, and `render`. */
export interface LiveArticlesOptions extends LiveOptions, OptionsOfBuilds {}

export const liveSchema = optionsSchema.extend({
  concurrency: z._default(concurrency, 6),
  timeout: z._default(milliseconds({ min: 100 }), 5_000),
  retries: z._default(retries, 1),
  render: z
    .custom<MarkdownSettings>(hasProcessor, 'expected Markdown settings with a `processor`')
    .optional(),
  with: z.custom<object>().optional(),
} satisfies Partial<FieldsOf<LiveArticlesOptions>>);

function hasProcessor(value: unknown): boolean {
  return typeof Object(Object(value).processor).createRenderer === 'function';
}

/** Returns whether drafts are shown. */
export function showsDrafts({ drafts }: Pick<LiveLoad['settings'], 'drafts'>): boolean {
  return drafts === 'include' || (drafts === 'dev' && isDevServer());
}

/** The client and the settings of one load. */
export interface LiveLoad {
  client: ArticlesClient;
  call: CallOptions;
  /** The options in effect. */
  settings: z.output<typeof liveSchema>;
  renderText: ReturnType<typeof createSiteRenderer>;
  collection: string;
}

/** The limits that differ from a build. */
export const liveLimits = {
  totalTimeout: 10_000,
  maxDelay: 2_000,
} as const satisfies Partial<ClientLimits>;

/** Selects the article to load. */
export interface ArticleFilter {
  /** The id that the service gives the article. */
  id: string;
}

export const articleFilterSchema = z.strictObject({
  id: z.string(),
} satisfies FieldsOf<ArticleFilter>);

/** Selects the part of the listing to load. */
export interface ArticlesFilter {
  /** The largest number of articles, 1–500 (docs/reference/service.md). @default 20 */
  limit?: number | undefined;
  /** The number of rows to skip, drafts included, in a list with pages. */
  offset?: number | undefined;
}

export const articlesFilterSchema = z.strictObject({
  ...listingPart.shape,
  limit: z._default(listingPart.shape.limit, 20),
} satisfies FieldsOf<ArticlesFilter>);

/**
 * Creates a client for one load. Loads share no state, because on some hosts (workerd) a request must not wait
 * for I/O of another request.
 *
 * @throws {ArticlesOptionsError} when the URL or the key is missing or invalid
 */
export function createLiveClient(settings: LiveLoad['settings']): ArticlesClient {
  const { baseUrl, apiKey } = settings;
  if (!baseUrl) throw missing('base-url-missing', 'baseUrl', 'ARTICLES_BASE_URL');
  if (!apiKey) throw missing('key-missing', 'apiKey', 'ARTICLES_API_KEY');
  return createArticlesClient({ ...settings, baseUrl, apiKey }, { limits: liveLimits });
}

function missing(code: 'base-url-missing' | 'key-missing', option: string, variable: string) {
  return new ArticlesOptionsError(code, `\`${option}\` of liveArticlesLoader() is not set.`, {
    hint: `Pass, for example, getSecret('${variable}') of astro:env/server, and set it on the host.`,
  });
}
