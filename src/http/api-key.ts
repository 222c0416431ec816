import { escapeUTF8 } from 'entities/escape';
import { ArticlesOptionsError, type Redact } from '../errors.ts';
import { printable } from '../messages.ts';
import { userAgent } from '../shared/version.ts';

const keyMark = '[the API key]';
const maxExcerptLength = 300;
/** In characters. Shorter keys, and their base64 forms, may be parts of other texts. */
const minKeyLength = 8;
/** In characters. Shorter keys of words, such as `development`, may be parts of other texts, too. */
const minWordsLength = 20;

export const keyHeader = 'x-project-api-key';

/**
 * Returns the headers of every request to the service (docs/reference/service.md).
 *
 * @throws {ArticlesOptionsError} for a key that cannot be sent. The message does not contain it.
 */
export function requestHeaders(apiKey: string): Record<string, string> {
  // Runtimes quote an invalid header value in their errors, so they must not receive an invalid key.
  if (!isSendable(apiKey)) {
    const problem = 'is empty, or contains a space, a line break or a character that is not ASCII';
    const hint = 'Copy it again as the service showed it, without quotes and line breaks.';
    throw new ArticlesOptionsError('key-malformed', `The API key ${problem}.`, { hint });
  }
  return { accept: 'application/json', 'user-agent': userAgent, [keyHeader]: apiKey };
}

export function createRedact(apiKey: string): Redact {
  // Matching the keyMark first keeps it intact, if the key is a part of it. The longest form is first, because a
  // shorter one may be a part of it.
  const hidden = [keyMark, ...formsOf(apiKey)].map(escapePattern);
  // URLs have their hosts in lower case.
  const pattern = new RegExp(hidden.join('|'), 'gi');
  return (text) => printable(text.replace(pattern, keyMark).replace(/\p{Cc}+/gu, ' '));
}

/** Removes control characters. For requests without the key. */
export const redactNothing = createRedact('');

/** Returns a function that removes keys from each line of a text. Short keys are parts of other texts. */
export function createRedactLines(keys: Iterable<string>): Redact {
  const all = [...keys].filter(({ length }) => length >= minKeyLength).map(createRedact);
  const redactLine = (line: string) => all.reduce((text, redact) => redact(text), line);
  return (text) => text.split('\n').map(redactLine).join('\n');
}

export function excerpt(text: string, max = maxExcerptLength): string {
  const trimmed = text.trim();
  return trimmed.length > max ? `${trimmed.slice(0, max)}…` : trimmed;
}

/** Returns whether a header can contain the key. */
function isSendable(apiKey: string): boolean {
  return /^[\x21-\x7e]+$/.test(apiKey);
}

/** Escapes a text for a regular expression. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/**
 * Returns the forms of a key in which a text may repeat it, the longest first: unchanged, escaped for JSON, a URL or HTML,
 * and in base64.
 */
function formsOf(key: string): string[] {
  if (key === '') return [];
  const inUrl = isSendable(key) ? [encodeURIComponent(key)] : [];
  const inBase64 = isSendable(key) && key.length >= minKeyLength ? [btoa(key), base64Url(key)] : [];
  const html = escapeUTF8(key).replaceAll('&apos;', '&#39;');
  const json = JSON.stringify(key).slice(1, -1);
  // PHP escapes slashes.
  const forms = new Set([key, json, json.replaceAll('/', '\\/'), html, ...inUrl, ...inBase64]);
  return [...forms].sort((a, b) => b.length - a.length);
}

/** RFC 4648, section 5, without padding. */
function base64Url(key: string): string {
  return btoa(key).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Creates a function that returns whether a text contains a key, in any of its forms: never a short key. */
export function createKeyFinder(key: string): (text: string) => boolean {
  const isWords = /^(?:(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_](?!$)|$))+$/.test(key);
  const minLength = isWords ? minWordsLength : minKeyLength;
  if (!isSendable(key) || key.length < minLength) return () => false;
  const forms = formsOf(key);
  return (text) => forms.some((form) => text.includes(form));
}
