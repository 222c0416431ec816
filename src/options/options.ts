import * as z from 'zod';
import type { Fetch } from '../client/http/attempt.ts';
import { ranges } from '../client/option-ranges.ts';
import { isRefusedAttribute, isRefusedTag } from '../shared/allow-list.ts';

const mebibyte = 2 ** 20;

/** Returns the schema of a whole number within a range, which includes both ends. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  const message = `expected a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
}

/** Returns the schema of a numeric option that the client has, too. */
function clientNumber(name: keyof typeof ranges) {
  return wholeNumber(ranges[name]).default(ranges[name].default);
}

/** Returns a schema that accepts any function, because parameters cannot be checked. */
function callback<T>() {
  return z.custom<T>((value) => typeof value === 'function', 'expected a function');
}

const safeTag = z
  .string()
  .refine(
    (tag) => !isRefusedTag(tag),
    'expected an element that can neither run script nor embed a page; `sanitize.iframes` allows frames',
  );
const safeAttribute = z
  .string()
  .refine((name) => !isRefusedAttribute(name), 'expected an attribute that cannot run script');

/** The article that `transform` receives and returns, with all fields of the service. */
export interface TransformedArticle {
  readonly id: string;
  title: string;
  content: string;
  cover_image: string | null;
  [field: string]: unknown;
}

/** The second argument of `transform`. */
export interface TransformContext {
  /** The name of the collection. */
  collection: string;
  /** The fields of a YAML front matter at the start of `content`, which is removed from the text. */
  frontMatter: Record<string, unknown>;
}

export type Transform = (
  article: TransformedArticle,
  context: TransformContext,
) => TransformedArticle | undefined | Promise<TransformedArticle | undefined>;

/**
 * All options of a collection, in astro.config or for one loader. `docs/reference/options.md` is
 * generated from the comments of these fields.
 */
export const optionsSchema = z.strictObject({
  /**
   * The address of the service, with or without a path. It has to be https, except for private hosts.
   *
   * @default the environment variable `ARTICLES_BASE_URL`
   */
  baseUrl: z.string().optional(),
  /**
   * The API key of the project. Keep it in the environment, because config files are committed.
   *
   * @default the environment variable `ARTICLES_API_KEY`
   */
  apiKey: z.string().optional(),
  /** Articles requested per page of the listing. @default 500 */
  pageSize: clientNumber('pageSize'),
  /** Concurrent requests to the service. @default 8 */
  concurrency: clientNumber('concurrency'),
  /** Time limit of one attempt in milliseconds, from the request to the last byte. @default 30_000 */
  timeout: clientNumber('timeout'),
  /** Time limit of the whole sync in milliseconds. @default 600_000 */
  totalTimeout: clientNumber('totalTimeout'),
  /** How failed requests are retried. */
  retry: z
    .strictObject({
      /** Retries per request. @default 4 */
      limit: clientNumber('retry.limit'),
      /**
       * The maximum wait for `Retry-After`, in milliseconds. A request for which the service requires a
       * longer wait fails at once. @default 120_000
       */
      maxDelay: clientNumber('retry.maxDelay'),
    })
    .prefault({}),
  /** Size limits of responses. */
  maxBytes: z
    .strictObject({
      /** Size limit of a page of the listing in bytes, after decompression. @default 33_554_432 */
      page: clientNumber('maxBytes.page'),
      /** Size limit of a single article in bytes, after decompression. @default 8_388_608 */
      article: clientNumber('maxBytes.article'),
    })
    .prefault({}),
  /**
   * Uses complete rows of the listing as the articles, instead of fetching each article: 20 requests
   * for 10,000 articles. @default false
   */
  trustList: z.boolean().default(false),
  /** How images are handled. */
  images: z
    .strictObject({
      /**
       * `'local'` downloads and verifies covers, and Astro optimises them. `'remote'` keeps
       * `cover_image` as a URL. @default 'local'
       */
      covers: z.enum(['local', 'remote']).default('local'),
      /**
       * `'local'` downloads, verifies and optimises images in bodies. `'remote'` keeps their URLs.
       *
       * @default 'remote'
       */
      body: z.enum(['local', 'remote']).default('remote'),
      /** Accepts SVG images, and converts them to PNG. @default false */
      svg: z.boolean().default(false),
      /** Size limit of one image in bytes. @default 20_971_520 */
      maxBytes: wholeNumber({ min: 1, max: 512 * mebibyte }).default(20 * mebibyte),
      /** Size limit of one image in pixels. @default 50_000_000 */
      maxPixels: wholeNumber({ min: 1, max: 1_000_000_000 }).default(50_000_000),
      /** Concurrent downloads. @default 8 */
      concurrency: clientNumber('concurrency'),
      /** Time limit of one image in milliseconds, redirects included. @default 30_000 */
      timeout: clientNumber('timeout'),
      /**
       * Hosts with private addresses from which images may be downloaded. All others need a public address,
       * or the origin of `baseUrl`. @default []
       */
      allowPrivateHosts: z.array(z.string()).default([]),
      /** `'fail'` stops the build when an image cannot be downloaded. @default 'skip' */
      onError: z.enum(['skip', 'fail']).default('skip'),
    })
    .prefault({}),
  /**
   * Removes HTML that could run script from articles. `'strict'` keeps only HTML that Markdown generates,
   * for services whose authors are unknown; an object allows more than `true`; `false` removes nothing.
   * @default true
   */
  sanitize: z
    .union(
      [
        z.boolean(),
        z.literal('strict'),
        z.strictObject({
          /** Elements to allow, by tag name. Those that run script or embed a page are refused. */
          tags: z.array(safeTag).optional(),
          /** Attributes to allow, by tag name or `*`. Those that run script are refused. */
          attributes: z.record(z.string(), z.array(safeAttribute)).optional(),
          /** Hosts whose pages may be embedded with an `<iframe>`. */
          iframes: z.array(z.string()).optional(),
        }),
      ],
      "expected true, false, 'strict' or an object with lists of `tags`, `attributes` and `iframes`",
    )
    .default(true),
  /**
   * Where relative links in bodies lead: `'site'` leaves them relative to the page, and `'service'` makes
   * them absolute against `baseUrl`. Relative image URLs always belong to the service. @default 'site'
   */
  links: z.enum(['site', 'service']).default('site'),
  /**
   * Changes each article before it is rendered, or leaves it out by returning `undefined`. It has to
   * return the same result for the same article.
   */
  transform: callback<Transform>().optional(),
  /**
   * Where bodies and their HTML are stored: `'store'` is Astro's content store; with `'mirror'`, pages
   * need `render(await withBody(entry))`. Recommended from 2,000 articles on. @default 'store'
   */
  bodies: z.enum(['store', 'mirror']).default('store'),
  /** The value of `entry.id`: the id of the article, or its slug. @default 'id' */
  entryId: z.enum(['id', 'slug']).default('id'),
  /** The order of the service's listing. `position` counts from the oldest. @default 'newest-first' */
  order: z.enum(['newest-first', 'oldest-first']).default('newest-first'),
  /** Skips articles without a title or content, or includes them for a preview. @default 'skip' */
  drafts: z.enum(['skip', 'include']).default('skip'),
  /**
   * `'fail'` stops the sync when articles are invalid, and lists them all. `'keep'` keeps the last valid
   * version of each, or skips it, with a warning. @default 'fail' in a build, 'keep' in `astro dev`
   */
  onInvalid: z.enum(['fail', 'keep']).optional(),
  /**
   * `'fail'` stops the build when the service is unavailable. `'keep'` uses the mirror, with a warning.
   *
   * @default 'fail' in a build, 'keep' in `astro dev`
   */
  onUnavailable: z.enum(['fail', 'keep']).optional(),
  /** Accepts a listing that is empty or would remove most of the collection. @default false */
  allowEmpty: z.boolean().default(false),
  /**
   * A folder for the mirror, relative to the root of the site, so that it can be committed and builds need no
   * service. @default a folder in Astro's `cacheDir`
   */
  mirrorDir: z.string().min(1).optional(),
  /**
   * Sends no requests and builds from the mirror.
   *
   * @default false, unless the environment variable `ARTICLES_OFFLINE` is set
   */
  offline: z.boolean().default(false),
  /** Sends the requests to the service. It must not follow redirects. @default the global `fetch` */
  fetch: callback<Fetch>().optional(),
});

/** The options as users write them. */
export type ArticlesOptions = z.input<typeof optionsSchema>;

/** The options after all layers are merged. */
export const resolvedSchema = optionsSchema.required({
  baseUrl: true,
  apiKey: true,
  onInvalid: true,
  onUnavailable: true,
});

/** The options in effect, each with a value. */
export type ResolvedOptions = z.output<typeof resolvedSchema>;
