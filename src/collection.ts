import { articlesLoader } from './loader.ts';
import type { ArticlesOptions } from './options.ts';
import { articleSchema } from './schema.ts';

/**
 * Everything that `defineCollection` needs:
 *
 * ```ts
 * export const collections = { articles: defineCollection(articlesCollection()) };
 * ```
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesCollection(options?: ArticlesOptions) {
  return { loader: articlesLoader(options), schema: articleSchema };
}
