import { wordSet } from '../kept-names.ts';
import {
  attributeOf,
  isElement,
  type Node,
  type Parent,
  replaceNodes,
  textOf,
} from '../parse-html.ts';

const withoutContent = wordSet('p br span b strong i em u font o:p');

/**
 * Removes paragraphs of nothing but breaks and blanks, such as `<p>&nbsp;</p>`. Editors write one for each empty line. A
 * paragraph without anything stays: it shows no line, and a script of the site may fill it.
 */
export function removeBlankParagraphs(tree: Parent): void {
  replaceNodes(tree, (node) => {
    const isWritten = node.nodeName === 'p' && isElement(node) && node.childNodes.length > 0;
    return isWritten && isBlank(node) ? [] : [node];
  });
}

function isBlank(node: Node): boolean {
  if (!isElement(node)) return textOf(node).trim() === '';
  const canBeBlank = withoutContent.has(node.tagName) && attributeOf(node, 'id') === undefined;
  return canBeBlank && node.childNodes.every(isBlank);
}
