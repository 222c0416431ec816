import { printable } from '../../errors.ts';

/** Makes a text from outside fit for one line of a message: no key, no control characters. */
export type Redact = (text: string) => string;

const maxLength = 300;

/** Whether a key can be sent in a header. */
export function isSendable(apiKey: string): boolean {
  return /^[\x21-\x7e]+$/.test(apiKey);
}

export function createRedact(apiKey: string): Redact {
  const forms = isSendable(apiKey) ? [apiKey, encodeURIComponent(apiKey), btoa(apiKey)] : [apiKey];
  const secrets = forms.filter((form) => form !== '');
  return (text) => {
    const hidden = secrets.reduce((shown, form) => shown.replaceAll(form, '[the API key]'), text);
    return printable(hidden.replace(/\p{Cc}+/gu, ' '));
  };
}

/** Shortens a text for a message. */
export function excerpt(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > maxLength ? `${trimmed.slice(0, maxLength)}…` : trimmed;
}
