import { createRequire } from 'node:module';
import type { AstroIntegration } from 'astro';
import type { ArticlesLoaderOptions, articlesLoader as Loader } from './content/articles-loader.ts';
import type { ArticlesIntegrationOptions } from './integration/integration-options.ts';

// Vite transforms each module that the content config imports, in each start of Astro. These two functions load theirs as
// Node has them. A bundle for a server that uses neither has no `createRequire()`.

/**
 * Returns a loader for Astro's content collections: every article of the service becomes an entry. Its entries are typed,
 * and their covers are images; a `schema` of the collection replaces the schema of the loader.
 *
 * ```ts
 * export const collections = { articles: defineCollection({ loader: articlesLoader() }) };
 * ```
 *
 * @param options override the options of the integration, which override the environment
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function articlesLoader(options?: ArticlesLoaderOptions): ReturnType<typeof Loader> {
  return createRequire(import.meta.url)('./content/articles-loader.js').articlesLoader(options);
}

/**
 * The Astro integration. It passes its options to every `articlesLoader()` of the site, refreshes the
 * articles of a dev server, and fails a build that would publish the API key.
 *
 * @throws {ArticlesOptionsError} listing every option that is unknown or invalid
 */
export default function articles(options?: ArticlesIntegrationOptions): AstroIntegration {
  return createRequire(import.meta.url)('./integration/index.js').default(options);
}
