import * as z from 'zod';
import { clientDefaults } from '../client/client.ts';
import type { Fetch } from '../client/http/attempt.ts';
import { rangeFault, ranges } from '../client/option-ranges.ts';
import { checkOptions } from './check-options.ts';

const mebibyte = 2 ** 20;

/** A whole number within a range; `why` says who set it. */
export function wholeNumber(range: readonly [number, number], why = '') {
  const error = ({ input }: { input?: unknown }) => rangeFault(range, input, why);
  const [min, max] = range;
  return z.int({ error }).min(min, { error }).max(max, { error }).optional();
}

const unsafeTag = 'scripts are never allowed, and frames by the host they show: `sanitize.iframes`';

/**
 * Everything a user may set, in astro.config or for one loader. The README's table is checked
 * against this schema and the defaults below it.
 */
export const optionsSchema = z.strictObject({
  /**
   * The address of the service: https, or http on loopback. It may have a path.
   *
   * @default the environment variable ARTICLES_BASE_URL
   */
  baseUrl: z.string().optional(),
  /**
   * The project's API key. Better left to the environment: a config file ends up in repositories.
   *
   * @default the environment variable ARTICLES_API_KEY
   */
  apiKey: z.string().optional(),
  /** Articles asked for at once in the listing, 1–500 (contract, section 8). @default 500 */
  pageSize: wholeNumber(ranges.pageSize, ' (the service allows no more)'),
  /** Requests to the service under way at once, 1–64. @default 8 */
  concurrency: wholeNumber(ranges.concurrency),
  /** Milliseconds for one attempt, from asking to the last byte. @default 30_000 */
  timeout: wholeNumber(ranges.timeout),
  /** Milliseconds for the whole sync. @default 600_000 */
  totalTimeout: wholeNumber(ranges.totalTimeout),
  /** How a failed request is repeated. */
  retry: z
    .strictObject({
      /** How many times a request is sent again at most, 0–10. @default 4 */
      limit: wholeNumber(ranges['retry.limit']),
      /**
       * The longest wait, in milliseconds, that the service may ask for (`Retry-After`). If it asks
       * for more, the sync fails at once and says so. @default 120_000
       */
      maxDelay: wholeNumber(ranges['retry.maxDelay']),
    })
    .optional(),
  /** Bytes of an answer at most, after decompression. */
  maxBytes: z
    .strictObject({
      /** A page of the listing. @default 33_554_432 (32 MiB) */
      page: wholeNumber(ranges['maxBytes.page']),
      /** A single article. @default 8_388_608 (8 MiB) */
      article: wholeNumber(ranges['maxBytes.article']),
    })
    .optional(),
  /**
   * Take the rows of the listing as the articles, where they hold all four fields, instead of
   * fetching each article: 20 requests for 10 000 articles. @default false
   */
  trustList: z.boolean().optional(),
  /** What becomes of images. */
  images: z
    .strictObject({
      /**
       * `'local'`: covers are downloaded, verified, and optimised by Astro. `'remote'`:
       * `cover_image` is the URL, as text. @default 'local'
       */
      covers: z.enum(['local', 'remote']).optional(),
      /**
       * Images in bodies. `'local'`: as covers; one that cannot be had stays where it is. `'remote'`:
       * readers load them from where they are. @default 'remote'
       */
      body: z.enum(['local', 'remote']).optional(),
      /** Take SVG images, too, reduced to what draws: no scripts, no links, no styles. @default false */
      svg: z.boolean().optional(),
      /** Bytes of one image at most. @default 20_971_520 (20 MiB) */
      maxBytes: wholeNumber([1, 512 * mebibyte]),
      /** Pixels of one image at most. @default 50_000_000 */
      maxPixels: wholeNumber([1, 1_000_000_000]),
      /** Downloads under way at once, 1–64. @default 8 */
      concurrency: wholeNumber(ranges.concurrency),
      /** Milliseconds for one image, with its redirects. @default 30_000 */
      timeout: wholeNumber(ranges.timeout),
      /**
       * Host names whose private addresses may be asked for images. Without it only public addresses
       * are, and the origin of `baseUrl`. @default []
       */
      allowPrivateHosts: z.array(z.string()).optional(),
      /** `'fail'` stops the build when a cover cannot be had. @default 'skip' */
      onError: z.enum(['skip', 'fail']).optional(),
    })
    .optional(),
  /**
   * Whether the HTML of articles is reduced to what Markdown makes, so that it can run no script.
   * `false` leaves it as it is; an object allows more than the default. @default true
   */
  sanitize: z
    .union([
      z.boolean(),
      z.strictObject({
        /** Elements to allow, by tag name. */
        tags: z
          .array(z.string().refine((tag) => tag !== 'iframe' && tag !== 'script', unsafeTag))
          .optional(),
        /** Attributes to allow, by tag name or `*`. */
        attributes: z.record(z.string(), z.array(z.string())).optional(),
        /** Hosts whose pages may be embedded with an `<iframe>`. */
        iframes: z.array(z.string()).optional(),
      }),
    ])
    .optional(),
  /**
   * `'store'`: text and HTML are in Astro's content store. `'mirror'`: they stay in files, and pages
   * get them with `withBody(entry)`; for thousands of articles. @default 'store'
   */
  bodies: z.enum(['store', 'mirror']).optional(),
  /** What `entry.id` is: the article's id, or its slug. @default 'id' */
  entryId: z.enum(['id', 'slug']).optional(),
  /** How the service orders its listing; `position` counts from the oldest. @default 'newest-first' */
  order: z.enum(['newest-first', 'oldest-first']).optional(),
  /** Articles without a title or without content: left out, or included for a preview. @default 'skip' */
  drafts: z.enum(['skip', 'include']).optional(),
  /**
   * `'fail'`: an article that cannot be used stops the sync, and all of them are listed. `'keep'`:
   * its last good version stays, or it is left out, with a warning.
   *
   * @default 'fail' in a build, 'keep' in `astro dev`
   */
  onInvalid: z.enum(['fail', 'keep']).optional(),
  /**
   * When the service gives no usable answer: `'fail'` stops the build; `'keep'` goes on from the
   * mirror, with a warning. @default 'fail' in a build, 'keep' in `astro dev`
   */
  onUnavailable: z.enum(['fail', 'keep']).optional(),
  /** Accept a listing that is empty, or that would remove most of the collection. @default false */
  allowEmpty: z.boolean().optional(),
  /**
   * A folder of the project for the mirror, relative to its root: to commit it, and build without
   * the service. @default a folder in Astro's `cacheDir`
   */
  mirrorDir: z.string().min(1).optional(),
  /**
   * Make no request at all: build from the mirror.
   *
   * @default the environment variable ARTICLES_OFFLINE, or false
   */
  offline: z.boolean().optional(),
  /** Does the requests to the service. It must not follow redirects by itself. @default the global fetch */
  fetch: z.custom<Fetch>((value) => typeof value === 'function', 'expected a function').optional(),
});

export type ArticlesOptions = z.input<typeof optionsSchema>;

/** What is taken where nobody says anything. */
export const defaults = {
  ...clientDefaults,
  trustList: false,
  images: {
    covers: 'local',
    body: 'remote',
    svg: false,
    maxBytes: 20 * mebibyte,
    maxPixels: 50_000_000,
    concurrency: 8,
    timeout: 30_000,
    allowPrivateHosts: [],
    onError: 'skip',
  },
  sanitize: true,
  bodies: 'store',
  entryId: 'id',
  order: 'newest-first',
  drafts: 'skip',
  allowEmpty: false,
  offline: false,
} as const satisfies ArticlesOptions;

/** The options in force, each with a value. */
export type ResolvedOptions = Filled<Omit<ArticlesOptions, 'mirrorDir' | 'fetch' | 'sanitize'>> &
  Pick<ArticlesOptions, 'mirrorDir' | 'fetch'> & {
    sanitize: NonNullable<ArticlesOptions['sanitize']>;
  };

type Filled<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends readonly unknown[] | ((...args: never[]) => unknown)
    ? NonNullable<T[K]>
    : NonNullable<T[K]> extends object
      ? Filled<NonNullable<T[K]>>
      : NonNullable<T[K]>;
};

/**
 * Checks what a user wrote.
 *
 * @param where what the options were given to, for the message: `articles()`, `articlesLoader()`
 * @throws {ArticlesOptionsError} naming each option that is unknown or out of range
 */
export function parseOptions(given: unknown, where: string): ArticlesOptions {
  return checkOptions(optionsSchema, given, where);
}
