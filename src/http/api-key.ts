import { ArticlesOptionsError, printable, type Redact } from '../errors.ts';
import { userAgent } from '../shared/version.ts';

const replacement = '[the API key]';
const maxLength = 300;
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
  const forms = isSendable(apiKey)
    ? [keyPattern(apiKey), ...[btoa(apiKey), ...base64Forms(apiKey)].map(escapePattern)]
    : [escapePattern(apiKey)];
  // Matching the replacement first keeps it intact, if the key is a part of it.
  const hidden = [escapePattern(replacement), ...forms].filter((form) => form !== '');
  // URLs have their hosts in lower case.
  const pattern = new RegExp(hidden.join('|'), 'gi');
  return (text) => printable(text.replace(pattern, replacement).replace(/\p{Cc}+/gu, ' '));
}

/** Removes control characters. For requests without the key. */
export const redactNothing = createRedact('');

/** Returns a function that removes keys from each line of a text. Short keys are parts of other texts. */
export function createRedactLines(keys: Iterable<string>): Redact {
  const all = [...keys].filter(({ length }) => length >= minKeyLength).map(createRedact);
  const redactLine = (line: string) => all.reduce((text, redact) => redact(text), line);
  return (text) => text.split('\n').map(redactLine).join('\n');
}

export function excerpt(text: string, max = maxLength): string {
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

const entities: Record<string, string> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/**
 * Returns the source of a regular expression for a key of ASCII characters, each as it is or escaped for JSON,
 * JavaScript, a URL or HTML.
 */
function keyPattern(key: string): string {
  const patterns = Array.from(key, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    const code = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const numbers = [`#0{0,3}${character.charCodeAt(0)}`, `#[xX]0{0,3}${code}`];
    const names = [...numbers, entities[character] ?? []].flat().join('|');
    return `(?:\\\\{0,3}(?:\\x${hex}|u00${code}|x${code})|%(?:25)?${code}|&(?:${names});)`;
  });
  return patterns.join('');
}

/**
 * Returns the base64 forms of a key, also within longer text: for each of the three positions at which it may start in
 * a group of three bytes. A short key has none.
 */
function base64Forms(key: string): string[] {
  if (key.length < minKeyLength) return [];
  return [0, 1, 2].flatMap((offset) => {
    const text = btoa('\0'.repeat(offset) + key);
    const bits = (bytes: number) => (bytes * 8) / 6;
    // These characters depend on the key alone.
    const form = text.slice(Math.ceil(bits(offset)), Math.floor(bits(offset + key.length)));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Creates a function that returns whether a text contains a key, unchanged, escaped or in base64: never a short key. */
export function createKeyFinder(key: string): (text: string) => boolean {
  const isWords = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_](?:[A-Z]?[a-z]+|[A-Z]+))*$/.test(key);
  const minLength = isWords ? minWordsLength : minKeyLength;
  if (!isSendable(key) || key.length < minLength) return () => false;
  const pattern = new RegExp(keyPattern(key));
  // Escape sequences usually keep letters and digits, so most texts need no regular expression.
  const [core = ''] = (key.match(/[a-z\d]+/gi) ?? []).toSorted((a, b) => b.length - a.length);
  const forms = base64Forms(key);
  return (text) =>
    (text.includes(core) && pattern.test(text)) || forms.some((form) => text.includes(form));
}
