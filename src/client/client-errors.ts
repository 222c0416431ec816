/** The errors that `astro-articles/client` and `astro-articles/live` export. */
export {
  type ArticleProblem,
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesListingError,
  ArticlesOptionsError,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';
