import {
  attributeOf,
  elementAround,
  elementsOf,
  type Parent,
  setAttribute,
} from '../parse-html.ts';

/**
 * Moves the id of an element in a heading to the heading, because links of other articles lead to it. MediaWiki writes
 * `<h2><span id="…">`, and an empty element with the former form of the id before it.
 */
export function moveIdsToHeadings(tree: Parent): void {
  for (const anchor of elementsOf(tree).toReversed()) {
    const id = attributeOf(anchor, 'id');
    const isAnchor =
      /^(?:a|span)$/.test(anchor.tagName) && attributeOf(anchor, 'href') === undefined;
    const heading = id && isAnchor ? elementAround(anchor, /^h[1-6]$/) : undefined;
    if (!heading || attributeOf(heading, 'id') !== undefined) continue;
    setAttribute(heading, 'id', id);
    setAttribute(anchor, 'id', undefined);
  }
}
