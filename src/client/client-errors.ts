/** The errors of the client, for its own entry and for that of live collections. */
export {
  type ArticleProblem,
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesListingError,
  ArticlesOptionsError,
  ArticlesRequestError,
  InvalidArticlesError,
} from '../errors.ts';
