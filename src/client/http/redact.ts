import { printable } from '../../errors.ts';

/** Makes a text from outside fit for one line of a message: no key, no control characters. */
export type Redact = (text: string) => string;

const replacement = '[the API key]';
const maxLength = 300;

/** Whether a key can be sent in a header. */
export function isSendable(apiKey: string): boolean {
  return /^[\x21-\x7e]+$/.test(apiKey);
}

export function createRedact(apiKey: string): Redact {
  const forms = isSendable(apiKey) ? [apiKey, encodeURIComponent(apiKey), btoa(apiKey)] : [apiKey];
  // The replacement is first, so that no form of the key is replaced in it.
  const hidden = [replacement, ...forms.filter((form) => form !== '')];
  return (text) => printable(hide(text, hidden).replace(/\p{Cc}+/gu, ' '));
}

function hide(text: string, [form, ...others]: readonly string[]): string {
  if (form === undefined) return text;
  const parts = text.split(form).map((part) => hide(part, others));
  return parts.join(replacement);
}

/** Shortens a text for a message. */
export function excerpt(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > maxLength ? `${trimmed.slice(0, maxLength)}…` : trimmed;
}
