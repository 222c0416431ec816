/** The errors that `astro-articles`, `astro-articles/client` and `astro-articles/live` export. */
export {
  type ArticleProblem,
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesInvalidError,
  ArticlesListingError,
  ArticlesOptionsError,
  ArticlesRequestError,
} from '../errors.ts';
