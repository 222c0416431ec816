export type { ArticlesLoaderOptions } from './content/collection.ts';
export { articleSchema, articlesCollection, articlesLoader } from './content/collection.ts';
export { getArticles } from './content/get-articles.ts';
export { cacheKey } from './content/store.ts';
export { withBody } from './content/with-body.ts';
export {
  type ArticleProblem,
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesInvalidError,
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesOptionsError,
  ArticlesRequestError,
} from './errors.ts';
export { default } from './integration/index.ts';
export type { ArticlesIntegrationOptions } from './integration/integration-options.ts';
export type { ArticlesOptions } from './options/options.ts';
