import { defaultTreeAdapter } from 'parse5';
import { attributeOf, elementsOf, type Parent } from '../parse-html.ts';

/** Turns each `<oembed>` into a link to its page. CKEditor writes one for a video, and only a script fills it. */
export function linkEmbeds(tree: Parent): void {
  for (const element of elementsOf(tree)) {
    const href = attributeOf(element, 'url')?.trim() ?? '';
    const isEmpty = element.tagName === 'oembed' && element.childNodes.length === 0;
    if (!isEmpty || !/^https?:/i.test(href)) continue;
    element.tagName = 'a';
    element.nodeName = 'a';
    element.attrs = [{ name: 'href', value: href }];
    defaultTreeAdapter.insertText(element, href);
  }
}
