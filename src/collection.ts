import { createLoader } from './loader.ts';
import { type ArticlesOptions, parseOptions } from './options.ts';
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
  const given = parseOptions(options, 'articlesCollection()');
  return { loader: createLoader(given), schema: articleSchema };
}
