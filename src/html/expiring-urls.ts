import { isExpiring } from '../shared/image-url.ts';

/** Matches the attributes of HTML with URLs that a page requests, or leads to. */
const urlAttribute = / (?:src|srcset|poster|href)="[^"]*"/g;

/** Returns whether HTML, as parse5 writes it, has a signed URL. */
export function hasExpiringUrls(html: string): boolean {
  return (html.match(urlAttribute) ?? []).some(isExpiring);
}
