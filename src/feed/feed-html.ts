import { finishHtml } from '../html/finish-html.ts';
import { maxRenderedParts, readHtml, toHtml } from '../html/parse-html.ts';
import { feedPolicy } from '../html/policy.ts';

/** Sanitizes the HTML of an article for feed readers, and makes all its URLs absolute. */
export function toFeedHtml(html: string, page: URL): string {
  const { tree } = finishHtml(readHtml(html, maxRenderedParts), {
    policy: feedPolicy,
    base: { media: page, links: page, page },
  });
  return toHtml(tree).trim();
}
