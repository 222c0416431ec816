import type { Loader, LoaderContext } from 'astro/loaders';
import { custom } from 'zod';
import { type ArticlesOptions, optionsSchema } from '../options/options.ts';
import { checkOptions, type FieldsOf } from '../shared/check-options.ts';
import { loadAndReport } from './loader.ts';
import { runOtherLoader } from './other-loader.ts';
import { loaderSchema, missingSchema, schemaInOptions } from './schema.ts';
import { loaderName } from './site-state.ts';

/** The loader of `start.ts`, which has its description. */
export function articlesLoader(options: ArticlesLoaderOptions = {}) {
  if (Object.hasOwn(options, 'schema')) throw schemaInOptions();
  checkOptions(loaderOptionsSchema, options, 'articlesLoader()');
  const { with: other, ...ownOptions } = options;
  return {
    name: loaderName,
    schema: other ? missingSchema : loaderSchema,
    async load(context: LoaderContext) {
      // In a refresh, the other loader still watches its files.
      const isRefresh = context.refreshContextData?.[loaderName] !== undefined;
      if (other && !isRefresh) await runOtherLoader(other, context);
      await loadAndReport(context, ownOptions);
    },
  } satisfies Loader;
}

/** The options of `articlesLoader()`: the options of a collection, and another loader. */
export interface ArticlesLoaderOptions extends ArticlesOptions, LoaderOnlyOptions {}

interface LoaderOnlyOptions {
  /**
   * Another loader for the same collection, such as `glob()` for local files. It runs first, and neither loader removes
   * entries of the other one. The collection needs a `schema` that fits both. If an article has the id of an entry of the
   * other loader, a problem names both. @default none
   */
  with?: Loader | undefined;
}

/** The schema of `ArticlesLoaderOptions`. */
export const loaderOptionsSchema = optionsSchema.extend({
  with: custom<Loader>(
    (value) => typeof (value as Loader | null)?.load === 'function',
    'expected a loader, such as `glob({ … })`',
  )
    .refine(
      ({ name }) => name !== loaderName,
      'expected a loader of another package. Articles of two services are two collections',
    )
    .optional(),
} satisfies FieldsOf<LoaderOnlyOptions>);
