import * as z from 'zod';
import { requestOptions } from '../client/client-options.ts';
import { callback, milliseconds, wholeNumber } from '../shared/check-options.ts';
import { isRefusedAttribute, isRefusedTag } from '../shared/refused-names.ts';

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
  /** The fields of the front matter at the start of `content`, in YAML or TOML. It is removed from the text. */
  frontMatter: Record<string, unknown>;
}

export type Transform = (
  article: TransformedArticle,
  context: TransformContext,
) => TransformedArticle | undefined | Promise<TransformedArticle | undefined>;

/**
 * All options of a collection, in astro.config or for one loader. `docs/reference/options.md` is
 * generated from the comments of these fields and of `requestOptions`.
 */
export const optionsSchema = z.strictObject({
  /**
   * The URL of the service, with or without a path. It has to be https, except for private hosts.
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
  ...requestOptions.shape,
  /** The time limit of one attempt in milliseconds, from the request to the last byte. @default 30_000 */
  timeout: z._default(milliseconds({ min: 1_000 }), 30_000),
  /**
   * How the rows of the listing are used. `'compare'` requests an article unless its row shows that it is unchanged.
   * `'whole'` uses complete rows as the articles, and requests the others. `{ changedBy: 'updated_at' }` names the field of a
   * row that changes with its article, for services whose rows lack the text. @default 'compare'
   */
  rows: z
    .union(
      [
        z.enum(['compare', 'whole']),
        z.strictObject({
          /** The field of a row that changes with every change of its article. */
          changedBy: z.string().min(1),
        }),
      ],
      "expected 'compare', 'whole' or { changedBy: 'the name of a field' }",
    )
    .default('compare'),
  /** The order of the service's listing. `position` counts from the oldest. @default 'newest-first' */
  order: z.enum(['newest-first', 'oldest-first']).default('newest-first'),
  /**
   * The number of rows of the listing to load, the newest ones. Drafts and articles that `transform` leaves out count,
   * too. All others are for pages that are rendered on demand. It needs `order: 'newest-first'`. @default all
   */
  newest: z.optional(wholeNumber({ min: 1, max: 1_000_000 })),
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
      /** The size limit of one image in bytes. @default 20_971_520 */
      maxBytes: z._default(wholeNumber({ min: 1, max: 512 * mebibyte }), 20 * mebibyte),
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
   * The format of the content. `'html'` keeps the HTML of a service, as far as `sanitize` allows. Titles are plain text
   * (see `textOfHtml()` of `astro-articles/client`). @default 'markdown'
   */
  format: z.enum(['markdown', 'html']).default('markdown'),
  /**
   * Changes each article before it is rendered, or leaves it out by returning `undefined`. It runs in every load, and
   * should depend on the article and the date only.
   */
  transform: z.optional(callback<Transform>()),
  /**
   * Where bodies and their HTML are stored: `'store'` is Astro's content store; with `'mirror'`, pages
   * need `render(await withBody(entry))`. Recommended from 2,000 articles on. @default 'store'
   */
  bodies: z.enum(['store', 'mirror']).default('store'),
  /**
   * The value of `entry.id`: the id of the article, or its slug. Use the slug where pages take their path from
   * `entry.id`. @default 'id'
   */
  entryId: z.enum(['id', 'slug']).default('id'),
  /**
   * What happens to drafts, which are articles without a title or content. `'skip'` leaves them out; `'dev'` shows them in
   * `astro dev` only; `'include'` shows them in builds, too, for a preview. @default 'skip'
   */
  drafts: z.enum(['skip', 'dev', 'include']).default('skip'),
  /**
   * What fails a build: `'articles'` that cannot be used, a `'service'` that is unavailable, and `'images'` that cannot
   * be downloaded. What is not listed is a warning: the build keeps the last good version of an article, uses the
   * mirror, shows no cover, or leaves a body image remote. `astro dev` fails for none of them.
   * @default ['articles', 'service']
   */
  failOn: z
    .array(
      z.enum(['articles', 'service', 'images']),
      "expected a list, such as `failOn: ['service']`",
    )
    .default(['articles', 'service']),
  /**
   * A folder for the mirror, relative to the root of the site, so that it can be committed and builds need no
   * service. A folder in `publicDir`, `outDir` or `src/content` is refused. @default a folder in Astro's `cacheDir`
   */
  mirrorDir: z.string().min(1).optional(),
});

/** The options as users write them. */
export type ArticlesOptions = z.input<typeof optionsSchema>;

/** The options in effect, each with a value. */
export interface ResolvedOptions extends Omit<z.output<typeof optionsSchema>, 'drafts'> {
  /** `'dev'` is one of both, by the command. */
  drafts: 'skip' | 'include';
  baseUrl: string;
  apiKey: string;
  /** Whether the load sends no request and uses the mirror. Set by `ARTICLES_OFFLINE`. */
  offline: boolean;
  /** Whether a load may remove most articles. Set by `ARTICLES_ALLOW_REMOVAL`, for one build. */
  allowRemoval: boolean;
}
