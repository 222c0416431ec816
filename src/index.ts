export * from './client/client-errors.ts';
export type { ArticlesLoaderOptions } from './content/articles-loader.ts';
export { getArticles } from './content/get-articles.ts';
export { pagePath } from './content/page-path.ts';
export {
  type ArticleData,
  type ArticleSchema,
  articleSchema,
  type Described,
  type DescribedSchema,
} from './content/schema.ts';
export { withBody } from './content/with-body.ts';
export { cacheKey } from './entry/digest.ts';
export { ArticlesMirrorError } from './errors.ts';
export type { ArticlesIntegrationOptions } from './integration/integration-options.ts';
export type { ArticlesOptions } from './options/options.ts';
export { articlesLoader, default } from './start.ts';
