import type { SchemaContext } from 'astro/content/config';
import type { Loader, LoaderContext } from 'astro/loaders';
import { z } from 'astro/zod';
import { custom, type input, strictObject } from 'zod';
import { optionsSchema } from '../options/options.ts';
import { checkOptions } from '../shared/check-options.ts';
import { loadAndReport } from './loader.ts';
import { loaderName } from './site-state.ts';
import { runOtherLoader } from './store.ts';

/**
 * Returns a loader for Astro's content collections: every article of the service becomes an entry. These
 * options override those of the integration, which override the environment.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesLoader(options: ArticlesLoaderOptions = {}) {
  checkOptions(loaderSchema, options, 'The loader of a collection');
  const { with: other, ...ownOptions } = options;
  return {
    name: loaderName,
    async load(context: LoaderContext) {
      // In a refresh, the other loader still watches its files.
      const isRefresh = context.refreshContextData?.[loaderName] !== undefined;
      if (other && !isRefresh) await runOtherLoader(other, context);
      await loadAndReport(context, ownOptions);
    },
  } satisfies Loader;
}

/**
 * Returns the loader and the schema for `defineCollection`:
 *
 * ```ts
 * export const collections = { articles: defineCollection(articlesCollection()) };
 * ```
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesCollection(options: ArticlesLoaderOptions = {}) {
  return { loader: articlesLoader(options), schema: articleSchema };
}

/**
 * The schema of an entry's `data`, to use unchanged or to `.extend()`:
 *
 * ```ts
 * schema: (context) => articleSchema(context).extend({ reviewed: z.boolean() })
 * ```
 *
 * `words` and `position` have the package's values, also if the service has fields of these names: `transform` can
 * rename those.
 */
export function articleSchema({ image }: SchemaContext): ArticleSchema {
  return fields.extend({ cover_image: image().nullable() });
}

// Made once: Astro calls `articleSchema()` for each entry, and only the cover differs.
const fields = z.object({
  title: z.string(),
  cover_color: z.string().nullable(),
  slug: z.string(),
  description: z.string(),
  words: z.number(),
  position: z.number(),
});

// An explicit type, so that `image()` has the type of the site's own Astro: 6 and 7 differ.
export type ArticleSchema = z.ZodObject<{
  title: z.ZodString;
  /** The local, verified cover; null when there is none, or it could not be downloaded. */
  cover_image: z.ZodNullable<ReturnType<SchemaContext['image']>>;
  /** The dominant colour of a local cover, as `#rrggbb`; null when a part of it is transparent, or there is none. */
  cover_color: z.ZodNullable<z.ZodString>;
  /** The path segment of the article, unique in the collection: the service's own `slug`, or one from title and id. */
  slug: z.ZodString;
  /** The service's own `description`, or plain text of the first paragraph, at most 160 characters. */
  description: z.ZodString;
  /** The number of words in the text, without its code blocks. */
  words: z.ZodNumber;
  /**
   * The position in the service's listing, counted from the oldest article, which is 1. Sort by it. With `newest`, it
   * is counted from the oldest one that was loaded, unless the listing has a `count`.
   */
  position: z.ZodNumber;
}>;

/** The options that only `articlesLoader()` and `articlesCollection()` accept. */
export const loaderOnlySchema = strictObject({
  /**
   * Another loader for the same collection, such as `glob()` for local files. It runs first, and neither loader removes
   * entries of the other one. If an article has the id of one of its entries, a problem names both. @default none
   */
  with: custom<Loader>(
    (value) => typeof (value as Loader | null)?.load === 'function',
    'expected a loader, such as `glob({ … })`',
  )
    .refine(
      ({ name }) => name !== loaderName,
      'expected a loader of another package. Articles of two services are two collections',
    )
    .optional(),
});

/** The schema of all options of a loader. */
const loaderSchema = optionsSchema.extend(loaderOnlySchema.shape);

/** The options of `articlesLoader()` and `articlesCollection()`. */
export type ArticlesLoaderOptions = input<typeof loaderSchema>;
