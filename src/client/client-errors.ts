/** The errors that `astro-articles`, `astro-articles/client` and `astro-articles/live` export. */
export {
  ArticlesError,
  type ArticlesErrorCode,
  ArticlesInvalidError,
  ArticlesListingError,
  ArticlesOptionsError,
  ArticlesRequestError,
  type Notice,
} from '../errors.ts';
