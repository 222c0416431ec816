import * as z from 'zod';
import {
  type ArticlesClient,
  type CallOptions,
  type ClientLimits,
  createArticlesClient,
} from '../client/client.ts';
import { listingPart } from '../client/client-options.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { optionsSchema } from '../options/options.ts';
import type { MarkdownSettings } from '../render/markdown-settings.ts';
import type { createSiteRenderer } from '../render/render-article.ts';
import { milliseconds } from '../shared/check-options.ts';

const { concurrency, retries } = optionsSchema.shape;

export const liveSchema = optionsSchema
  .pick({
    baseUrl: true,
    apiKey: true,
    query: true,
    fetch: true,
    format: true,
    transform: true,
    sanitize: true,
    links: true,
  })
  .extend({
    /** Skips articles without a title or content, or includes them for a preview. @default 'skip' */
    drafts: z.enum(['skip', 'include']).default('skip'),
    /** The number of concurrent requests for one page. Edge hosts allow six. @default 6 */
    concurrency: z._default(concurrency, 6),
    /** The time limit of one attempt in milliseconds. A reader waits for it. @default 5_000 */
    timeout: z._default(milliseconds({ min: 100 }), 5_000),
    /** The number of retries per request. @default 1 */
    retries: z._default(retries, 1),
    /**
     * The settings below `markdown` in astro.config, with their `processor`, so that live pages have the site's plugins and
     * code theme. For hosts with Node. @default a small renderer for all hosts
     */
    render: z
      .custom<MarkdownSettings>(hasProcessor, 'expected Markdown settings with a `processor`')
      .optional(),
  });

function hasProcessor(value: unknown): boolean {
  return typeof Object(Object(value).processor).createRenderer === 'function';
}

/** The options of a live collection. Each has the same meaning as in a collection that is built. */
export type LiveArticlesOptions = z.input<typeof liveSchema>;

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

export const articleFilterSchema = z.strictObject({ id: z.string() });

/** Selects the article to load. */
export type ArticleFilter = z.input<typeof articleFilterSchema>;

export const articlesFilterSchema = z.strictObject({
  ...listingPart.shape,
  /** The largest number of articles, 1–500 (docs/reference/service.md). @default 20 */
  limit: z._default(listingPart.shape.limit, 20),
});

/** Selects the part of the listing to load. */
export type ArticlesFilter = z.input<typeof articlesFilterSchema>;

/**
 * Creates a client for one load. Loads share no state, because on some hosts (workerd) a request must not wait
 * for I/O of another one.
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
