import type { Element, Root } from 'hast';
import { toHtml } from 'hast-util-to-html';
import { visit } from 'unist-util-visit';
import { makeAddressesAbsolute, parseHtml } from '../render/html.ts';

// What only the page's own styles and scripts understand.
const ofThePage =
  /^(?:class(?:Name)?|style|id|tabIndex|loading|decoding|fetchPriority|(?:data|aria)[A-Z].*)$/;

/**
 * Makes the HTML of an article fit to be read away from its page: all addresses absolute, those
 * within the page included, and nothing that means something only there.
 */
export function toFeedHtml(html: string, page: URL): string {
  const tree = parseHtml(html);
  visit(tree, 'element', (element) => {
    const { href } = element.properties;
    if (typeof href === 'string' && href.startsWith('#'))
      element.properties.href = page.href + href;
    makeAddressesAbsolute(element, page);
    for (const name of Object.keys(element.properties)) {
      if (ofThePage.test(name)) delete element.properties[name];
    }
  });
  unwrapSpans(tree);
  return toHtml(tree).trim();
}

/** Without their colours, the words of code need no elements of their own. */
function unwrapSpans(parent: Root | Element): void {
  parent.children = parent.children.flatMap((child) => {
    if (child.type !== 'element') return child;
    unwrapSpans(child);
    const isBare = child.tagName === 'span' && Object.keys(child.properties).length === 0;
    return isBare ? child.children : child;
  });
}
