export { articlesCollection } from './collection.ts';
export {
  type ArticleProblem,
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesListingError,
  ArticlesMirrorError,
  ArticlesOptionsError,
  ArticlesRequestError,
  InvalidArticlesError,
} from './errors.ts';
export { default } from './integration/index.ts';
export type { ArticlesIntegrationOptions } from './integration/options.ts';
export { articlesLoader } from './loader.ts';
export type { ArticlesOptions } from './options.ts';
export { articleSchema } from './schema.ts';
export { withBody } from './with-body.ts';
