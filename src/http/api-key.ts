import { ArticlesOptionsError, printable } from '../errors.ts';
import { userAgent } from '../shared/version.ts';
import { base64Forms, keyPattern, minKeyLength } from './key-forms.ts';

/** Removes the API key and control characters from a text, so that a message can contain it. */
export type Redact = (text: string) => string;

const replacement = '[the API key]';
const maxLength = 300;

/**
 * Returns the headers of every request to the service (docs/reference/service.md).
 *
 * @throws {ArticlesOptionsError} for a key that cannot be sent. The message does not contain it.
 */
export function requestHeaders(apiKey: string): Record<string, string> {
  // Runtimes quote an invalid header value in their errors, so they must not receive an invalid key.
  if (!isSendable(apiKey)) {
    const problem = apiKey
      ? 'contains a space, a line break or a character that is not ASCII'
      : 'is empty';
    throw new ArticlesOptionsError('key-malformed', `The API key ${problem}.`, {
      hint: 'Copy it again as the service showed it, without quotes and line breaks.',
    });
  }
  return { accept: 'application/json', 'user-agent': userAgent, 'x-project-api-key': apiKey };
}

export function createRedact(apiKey: string): Redact {
  const forms = isSendable(apiKey)
    ? [keyPattern(apiKey), escaped(btoa(apiKey)), ...base64Forms(apiKey).map(escaped)]
    : [escaped(apiKey)];
  // Matching the replacement first keeps it intact, if the key is a part of it.
  const hidden = [escaped(replacement), ...forms].filter((form) => form !== '');
  const pattern = new RegExp(hidden.join('|'), 'g');
  return (text) => printable(text.replace(pattern, replacement).replace(/\p{Cc}+/gu, ' '));
}

/** Returns a function that removes keys from each line of a text. Short keys are parts of other texts. */
export function createRedactLines(keys: Iterable<string>): Redact {
  const all = [...keys].filter(({ length }) => length >= minKeyLength).map(createRedact);
  const redactLine = (line: string) => all.reduce((text, redact) => redact(text), line);
  return (text) => text.split('\n').map(redactLine).join('\n');
}

export function excerpt(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > maxLength ? `${trimmed.slice(0, maxLength)}…` : trimmed;
}

/** Whether a header can contain the key. */
export function isSendable(apiKey: string): boolean {
  return /^[\x21-\x7e]+$/.test(apiKey);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
