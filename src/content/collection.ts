import { checkOptions } from '../shared/check-options.ts';
import { articleSchema } from './article-schema.ts';
import { createLoader } from './loader.ts';
import { type ArticlesLoaderOptions, loaderSchema } from './loader-options.ts';

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
  checkOptions(loaderSchema, options, 'articlesCollection()');
  return { loader: createLoader(options), schema: articleSchema };
}
