import type { Loader } from 'astro/loaders';
import * as z from 'zod';
import { optionsSchema } from '../options/options.ts';

/** The name of the loader for Astro, and for `refreshContent()`. */
export const loaderName = 'astro-articles';

/** The options that only `articlesLoader()` and `articlesCollection()` accept. */
export const loaderOnlySchema = z.strictObject({
  /**
   * Another loader for the same collection, such as `glob()` for local files. It runs first, and neither loader removes
   * entries of the other one. If an article has the id of one of its entries, a problem names both. @default none
   */
  with: z
    .custom<Loader>(
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
export const loaderSchema = optionsSchema.extend(loaderOnlySchema.shape);

/** The options of `articlesLoader()` and `articlesCollection()`. */
export type ArticlesLoaderOptions = z.input<typeof loaderSchema>;
