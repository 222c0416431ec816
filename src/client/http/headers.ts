import { ArticlesOptionsError } from '../../errors.ts';
import { userAgent } from '../../shared/version.ts';

/**
 * What every request to the service carries (contract, section 3).
 *
 * @throws {ArticlesOptionsError} for a key that cannot be sent; it is not repeated.
 */
export function requestHeaders(apiKey: string): Record<string, string> {
  // A runtime that meets a bad header value quotes it in its error, so it must never meet one.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ArticlesOptionsError(
      'key-malformed',
      `The API key ${apiKey === '' ? 'is empty' : 'holds a space, a line break or a character outside ASCII'}.`,
      { hint: 'Copy it again as the service showed it, without quotes or line breaks.' },
    );
  }
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    'x-project-api-key': apiKey,
  };
}
