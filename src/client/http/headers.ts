import { ArticlesOptionsError } from '../../errors.ts';
import { userAgent } from '../../shared/version.ts';
import { isSendable } from './redact.ts';

/**
 * Returns the headers of every request to the service (contract, section 3).
 *
 * @throws {ArticlesOptionsError} for a key that cannot be sent. The message does not contain it.
 */
export function requestHeaders(apiKey: string): Record<string, string> {
  // A runtime quotes an invalid header value in its error, so it must never receive one.
  if (!isSendable(apiKey)) {
    const problem =
      apiKey === ''
        ? 'is empty'
        : 'contains a space, a line break or a character that is not ASCII';
    throw new ArticlesOptionsError('key-malformed', `The API key ${problem}.`, {
      hint: 'Copy it again as the service showed it, without quotes and line breaks.',
    });
  }
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    'x-project-api-key': apiKey,
  };
}
