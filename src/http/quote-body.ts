import type { Redact } from '../errors.ts';
import { isRecord, parseJson } from '../shared/json-value.ts';
import { excerpt } from './api-key.ts';

/** What an error quotes from the body of a response, without the key and control characters. */
export interface QuotedBody {
  /** Whether it is an object of JSON, as services send it, and not a page of a proxy or a network. */
  isJson: boolean;
  /** The reason in its JSON, or else the beginning of a sentence with its title or its first characters. */
  text: string;
}

/** For a response whose body is empty, or is not read. */
export const noQuote: QuotedBody = { isJson: false, text: '' };

const maxBeginning = 100;
/** In bytes. Error responses are smaller. */
const maxSearched = 65_536;
/** The fields of JSON in which services explain an error. Each may be a text, an object with one, or a list of these. */
const reasonFields = ['detail', 'message', 'error', 'errors'];
const maxDepth = 4;

/** Quotes what a body says about an error. */
export function quoteBody(body: Uint8Array, redact: Redact): QuotedBody {
  const text = new TextDecoder().decode(body.subarray(0, maxSearched));
  const value = parseJson(text);
  const isJson = isRecord(value);
  const reason = isJson && reasonIn(value);
  if (reason) return { isJson, text: `: ${excerpt(redact(reason)).replace(/(?<!\.)\.+$/, '')}` };
  // The key is removed before the text is cut, because a part of it would not be recognised.
  const shown = redact(text).replace(/\s+/g, ' ').trim();
  const title = /<title[^>]{0,200}>\s*([^<]+)/i.exec(shown)?.[1];
  if (title) return { isJson, text: `; its title is "${excerpt(title, maxBeginning)}"` };
  return { isJson, text: shown && `; it begins "${excerpt(shown, maxBeginning)}"` };
}

function reasonIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (depth > maxDepth) return undefined;
  if (Array.isArray(value)) return reasonIn(value[0], depth + 1);
  if (!isRecord(value)) return undefined;
  for (const field of reasonFields) {
    const reason = reasonIn(value[field], depth + 1);
    if (reason) return reason;
  }
  return undefined;
}
