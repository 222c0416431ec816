import * as z from 'zod';
import { requestOptions } from '../client/client-options.ts';
import { isRefusedAttribute, isRefusedTag } from '../render/refused-names.ts';
import { callback, wholeNumber } from '../shared/check-options.ts';

const mebibyte = 2 ** 20;

const safeTag = z
  .string()
  .refine(
    (tag) => !isRefusedTag(tag),
    'expected an element that can neither run script nor embed a page; `sanitize.iframes` allows frames',
  );
const safeAttribute = z
  .string()
  .refine(
    (name) => !isRefusedAttribute(name),
    'expected an attribute that neither browsers nor script libraries act on; only `sanitize: false` keeps it',
  );

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

/** Returns the id of an article's entry. It has to return the same id for the same article. */
export type EntryId = (
  article: Readonly<Record<string, unknown>> & { id: string; title: string; slug: string },
) => string | Promise<string>;

/**
 * All options of a collection, in astro.config or for one loader. `docs/reference/options.md` is
 * generated from the comments of these fields and of `requestOptions`.
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
  /**
   * The name of the project, if one checkout builds sites of several projects of one service. Each name has a mirror of
   * its own, so that articles and addresses of one project never appear in another. @default none
   */
  project: z.string().min(1).optional(),
  ...requestOptions.shape,
  /**
   * Uses complete rows of the listing as the articles, instead of fetching each article: 20 requests
   * for 10,000 articles. @default false
   */
  trustList: z.boolean().default(false),
  /**
   * The field of a row that changes with its article, such as `updated_at`, for services whose rows lack the text. An
   * article whose row has the same value as the stored article is not requested. @default none
   */
  updatedField: z.string().min(1).optional(),
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
      maxBytes: z._default(wholeNumber({ min: 1, max: 512 * mebibyte }), 20 * mebibyte),
      /** Size limit of one image in pixels. @default 50_000_000 */
      maxPixels: z._default(wholeNumber({ min: 1, max: 1_000_000_000 }), 50_000_000),
      /** Concurrent downloads. @default 8 */
      concurrency: requestOptions.shape.concurrency,
      /** Time limit of one image in milliseconds, redirects included. @default 30_000 */
      timeout: requestOptions.shape.timeout,
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
   * Keeps the HTML of articles that is known to be harmless, and removes all other. `'strict'` keeps only HTML
   * that Markdown generates, for services whose authors are unknown; an object allows more than `true`; `false`
   * removes nothing.
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
          /** Attributes to allow, by tag name or `*`. Those that act, by themselves or by a script library, are refused. */
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
   * Files that Markdown plugins of the site read, such as a bibliography, as patterns relative to the folder of
   * astro.config. When one of them changes, all articles are rendered again. @default []
   */
  renderInputs: z.array(z.string()).default([]),
  /**
   * Changes each article before it is rendered, or leaves it out by returning `undefined`. It has to
   * return the same result for the same article.
   */
  transform: z.optional(callback<Transform>()),
  /**
   * Where bodies and their HTML are stored: `'store'` is Astro's content store; with `'mirror'`, pages
   * need `render(await withBody(entry))`. Recommended from 2,000 articles on. @default 'store'
   */
  bodies: z.enum(['store', 'mirror']).default('store'),
  /**
   * The value of `entry.id`: the id of the article, its slug, or what a function returns for the fields of the article
   * and its slug, such as `de/tides`. An id that cannot be a path, or differs from another one only in case, is a
   * problem of the article. @default 'id'
   */
  entryId: z
    .union([z.enum(['id', 'slug']), callback<EntryId>()], "expected 'id', 'slug' or a function")
    .default('id'),
  /** The order of the service's listing. `position` counts from the oldest. @default 'newest-first' */
  order: z.enum(['newest-first', 'oldest-first']).default('newest-first'),
  /**
   * Returns the URL at which an author edits an article in the service, by the article's id. In `astro dev`, the toolbar
   * app and `<ArticleBody>` link to it.
   */
  editUrl: z.optional(callback<(id: string) => string>()),
  /**
   * The number of rows of the listing to load, the newest ones. Drafts and articles that `transform` leaves out count,
   * too. All others are for pages that are rendered on demand. With `order: 'oldest-first'`, the listing needs a `count`.
   * @default all
   */
  newest: z.optional(wholeNumber({ min: 1, max: 1_000_000 })),
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
   * service. A folder in `publicDir` or `outDir` is refused. @default a folder in Astro's `cacheDir`
   */
  mirrorDir: z.string().min(1).optional(),
  /**
   * Sends no requests and builds from the mirror.
   *
   * @default false, unless the environment variable `ARTICLES_OFFLINE` is set
   */
  offline: z.boolean().default(false),
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
