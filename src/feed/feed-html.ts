import { finishHtml } from '../html/finish-html.ts';
import {
  attributeOf,
  elementsOf,
  maxRenderedParts,
  readHtml,
  setAttribute,
  toHtml,
} from '../html/parse-html.ts';
import { feedPolicy } from '../html/policy.ts';

/** Sanitizes the HTML of an article for feed readers, and makes all its URLs absolute. */
export function toFeedHtml(html: string, page: URL): string {
  const parsed = readHtml(html, maxRenderedParts);
  for (const element of elementsOf(parsed.tree)) {
    // Feed readers show no candidates. The last one of most lists is the largest.
    const srcset = element.tagName === 'img' ? attributeOf(element, 'srcset') : undefined;
    if (!srcset || attributeOf(element, 'src')) continue;
    const urls = srcset.split(/\s+/).map((part) => part.replace(/^[\d.]+[wx](?:,|$)|,$/g, ''));
    setAttribute(element, 'src', urls.findLast(Boolean));
  }
  const { tree } = finishHtml(parsed, {
    policy: feedPolicy,
    base: { media: page, links: page, page },
  });
  return toHtml(tree).trim();
}
