import type { SchemaContext } from 'astro/content/config';
import type { LoaderContext } from 'astro/loaders';
import { type ArticlesOptions, parseOptions } from '../options/options.ts';
import { type ArticleSchema, articleSchema } from './article-schema.ts';
import { createLoader } from './loader.ts';

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
  return shareSchema(createLoader(parseOptions(options, 'articlesCollection()')));
}

/**
 * Astro asks for the schema anew for each entry, since an image may be found from the entry's file, and
 * making one costs more than all else of an entry. Ours come with no such file, so the entries of a
 * load share a schema. It is theirs only while Astro is being asked to parse, which it answers with the
 * schema at once: whoever asks at another time, as Astro does to generate types, gets one of its own.
 */
function shareSchema(loader: ReturnType<typeof createLoader>) {
  let current: { schema?: ArticleSchema } | undefined;
  return {
    loader: {
      ...loader,
      load(context: LoaderContext) {
        const shared = {};
        const parseData: LoaderContext['parseData'] = (entry) => {
          current = shared;
          try {
            return context.parseData(entry);
          } finally {
            current = undefined;
          }
        };
        return loader.load({ ...context, parseData });
      },
    },
    schema(context: SchemaContext): ArticleSchema {
      if (!current) return articleSchema(context);
      current.schema ??= articleSchema(context);
      return current.schema;
    },
  };
}
