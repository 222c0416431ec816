import { headingsOf } from '../headings.ts';
import { attributeOf, elementsOf, type Parent, setAttribute } from '../parse-html.ts';

/**
 * Moves the id of an element in a heading to the heading, because links of other articles lead to it. MediaWiki writes
 * `<h2><span id="…">`, and an empty element with the former form of the id before it.
 */
export function moveIdsToHeadings(tree: Parent): void {
  for (const heading of headingsOf(tree)) {
    const anchor = elementsOf(heading).findLast(
      (element) => /^(?:a|span)$/.test(element.tagName) && attributeOf(element, 'id'),
    );
    const isOwn = anchor && attributeOf(anchor, 'href') === undefined;
    if (!isOwn || attributeOf(heading, 'id') !== undefined) continue;
    setAttribute(heading, 'id', attributeOf(anchor, 'id'));
    setAttribute(anchor, 'id', undefined);
  }
}
