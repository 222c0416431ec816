import { maxRenderedParts, parseHtml, toHtml } from '../html/parse-html.ts';
import { feedPolicy } from '../html/policy.ts';
import { walkHtml } from '../html/walk-html.ts';

/** Sanitizes the HTML of an article for feed readers, and makes all its URLs absolute. */
export function toFeedHtml(html: string, page: URL): string {
  const tree = parseHtml(html, maxRenderedParts);
  walkHtml(tree, { policy: feedPolicy, base: { media: page, links: page, page } });
  return toHtml(tree).trim();
}
