import * as z from 'zod';
import { type RequestOptions, requestOptions } from '../client/client-options.ts';
import { callback, type FieldsOf, milliseconds, wholeNumber } from '../shared/check-options.ts';
import { isRefusedAttribute, isRefusedTag } from '../shared/refused-names.ts';
import type { SanitizeOption } from '../shared/sanitize-option.ts';

const mebibyte = 2 ** 20;

const safeTag = z
  .string()
  .refine(
    (tag) => !isRefusedTag(tag),
    'expected an element that runs no script, embeds no page and stays within the article; `sanitize.iframes` allows frames',
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

/** Names the field of a row that shows changes of its article. */
export interface ChangedBy {
  /** The field of a row that changes with every change of its article. */
  changedBy: string;
}

/** How images are handled. */
export interface ImageOptions {
  /**
   * `'local'` downloads and verifies covers, and Astro optimises them. `'remote'` keeps
   * `cover_image` as a URL. @default 'local'
   */
  covers?: 'local' | 'remote' | undefined;
  /**
   * `'local'` downloads, verifies and optimises images in bodies. `'remote'` keeps their URLs.
   *
   * @default 'remote'
   */
  body?: 'local' | 'remote' | undefined;
  /** The size limit of one image in bytes. @default 20_971_520 */
  maxBytes?: number | undefined;
}

/**
 * The options of a collection, as users write them, in astro.config or for one loader. `docs/reference/options.md` is
 * generated from the comments of these fields.
 */
export interface ArticlesOptions extends RequestOptions {
  /**
   * The URL of the service, with or without a path. It has to be https, except for private hosts.
   *
   * @default the environment variable `ARTICLES_BASE_URL`
   */
  baseUrl?: string | undefined;
  /**
   * The API key of the project. Keep it in the environment, because config files are committed.
   *
   * @default the environment variable `ARTICLES_API_KEY`
   */
  apiKey?: string | undefined;
  /**
   * How the rows of the listing are used. `'compare'` requests an article unless its row shows that it is unchanged.
   * `'whole'` uses rows as the articles, also if fields are missing; one without title, content and cover is requested. `{ changedBy: 'updated_at' }` names the field of a
   * row that changes with its article, for services whose rows lack the text. @default 'compare'
   */
  rows?: 'compare' | 'whole' | ChangedBy | undefined;
  /** The order of the service's listing. `position` counts from the oldest. @default 'newest-first' */
  order?: 'newest-first' | 'oldest-first' | undefined;
  /**
   * The number of rows of the listing to load, the newest ones. Drafts and articles that `transform` leaves out count,
   * too. All others are for pages that are rendered on demand. It needs `order: 'newest-first'`. @default all
   */
  newest?: number | undefined;
  /** How images are handled. */
  images?: ImageOptions | undefined;
  /**
   * Keeps the HTML of articles that is known to be harmless, and removes all other. `'strict'` keeps only HTML
   * that Markdown generates, for services whose authors are unknown; an object allows more than `true`; `false`
   * removes nothing.
   * @default true
   */
  sanitize?: SanitizeOption | undefined;
  /**
   * Where relative links in bodies lead: `'site'` leaves them relative to the page, and `'service'` makes
   * them absolute against `baseUrl`. Relative image URLs always belong to the service. @default 'site'
   */
  links?: 'site' | 'service' | undefined;
  /**
   * The format of the content. `'html'` keeps the HTML of a service, as far as `sanitize` allows. Titles are plain text
   * (see `textOfHtml()` of `astro-articles/client`). @default 'markdown'
   */
  format?: 'markdown' | 'html' | undefined;
  /**
   * Changes each article before it is rendered, or leaves it out by returning `undefined`. It runs in every load, and
   * should depend on the article and the date only.
   */
  transform?: Transform | undefined;
  /**
   * Where bodies and their HTML are stored: `'store'` is Astro's content store; with `'mirror'`, pages
   * need `render(await withBody(entry))`. Recommended from 2,000 articles on. @default 'store'
   */
  bodies?: 'store' | 'mirror' | undefined;
  /**
   * The value of `entry.id`: the id of the article, or its slug. Use the slug where pages take their path from
   * `entry.id`. @default 'id'
   */
  entryId?: 'id' | 'slug' | undefined;
  /**
   * What happens to drafts, which are articles without a title or content. `'skip'` leaves them out; `'dev'` shows them in
   * `astro dev` only; `'include'` shows them in builds, too, for a preview. @default 'skip'
   */
  drafts?: 'skip' | 'dev' | 'include' | undefined;
  /**
   * What fails a build: `'articles'` that cannot be used, a `'service'` without a usable response, and `'images'` that cannot
   * be downloaded. What is not listed is a warning: the build keeps the last good version of an article, uses the
   * mirror, shows no cover, or leaves a body image remote. `astro dev` fails for none of them.
   * @default ['articles', 'service']
   */
  failOn?: readonly ('articles' | 'service' | 'images')[] | undefined;
  /**
   * A folder for the mirror, relative to the root of the site, so that it can be committed and builds need no
   * service. A folder in `publicDir`, `outDir` or `src/content` is refused. @default a folder in Astro's `cacheDir`
   */
  mirrorDir?: string | undefined;
}

/** Checks the options of a collection, and has their defaults. `ArticlesOptions` has their descriptions. */
export const optionsSchema = z.strictObject({
  baseUrl: z.string().optional(),
  apiKey: z.string().optional(),
  ...requestOptions.shape,
  timeout: z._default(milliseconds({ min: 1_000 }), 30_000),
  rows: z
    .union(
      [z.enum(['compare', 'whole']), z.strictObject({ changedBy: z.string().min(1) })],
      "expected 'compare', 'whole' or { changedBy: 'the name of a field' }",
    )
    .default('compare'),
  order: z.enum(['newest-first', 'oldest-first']).default('newest-first'),
  newest: z.optional(wholeNumber({ min: 1, max: 1_000_000 })),
  images: z
    .strictObject({
      covers: z.enum(['local', 'remote']).default('local'),
      body: z.enum(['local', 'remote']).default('remote'),
      maxBytes: z._default(wholeNumber({ min: 1, max: 512 * mebibyte }), 20 * mebibyte),
    })
    .prefault({}),
  sanitize: z
    .union(
      [
        z.boolean(),
        z.literal('strict'),
        z.strictObject({
          tags: z.array(safeTag).optional(),
          attributes: z.record(z.string(), z.array(safeAttribute)).optional(),
          iframes: z.array(z.string()).optional(),
        }),
      ],
      "expected true, false, 'strict' or an object with lists of `tags`, `attributes` and `iframes`",
    )
    .default(true),
  links: z.enum(['site', 'service']).default('site'),
  format: z.enum(['markdown', 'html']).default('markdown'),
  transform: z.optional(callback<Transform>()),
  bodies: z.enum(['store', 'mirror']).default('store'),
  entryId: z.enum(['id', 'slug']).default('id'),
  drafts: z.enum(['skip', 'dev', 'include']).default('skip'),
  failOn: z
    .array(
      z.enum(['articles', 'service', 'images']),
      "expected a list, such as `failOn: ['service']`",
    )
    .default(['articles', 'service']),
  mirrorDir: z.string().min(1).optional(),
} satisfies FieldsOf<ArticlesOptions>);

/** The options in effect, each with a value. */
export interface ResolvedOptions extends Omit<z.output<typeof optionsSchema>, 'drafts'> {
  /** `'dev'` is resolved by the command. */
  drafts: 'skip' | 'include';
  baseUrl: string;
  apiKey: string;
  /** Whether the load sends no request and uses the mirror. Set by `ARTICLES_OFFLINE`. */
  offline: boolean;
  /** Whether a load may remove most articles. Set by `ARTICLES_ALLOW_REMOVAL`, for one build. */
  allowRemoval: boolean;
}
