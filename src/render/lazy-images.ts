import { elementsOf, isElement, type Node } from './parse-html.ts';

/**
 * Leaves out images that only reserve the place of others. Plugins of WordPress write the address of a picture into a
 * `data-` attribute, for their script, and the picture itself into a `<noscript>` next to it, which is shown here.
 */
export function withoutPlaceholders(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node, index) => {
    const isNextToPicture = [nodes[index - 1], nodes[index + 1]].some(hasPicture);
    return !isNextToPicture || !isPlaceholder(node);
  });
}

function hasPicture(node: Node | undefined): boolean {
  if (!node || !isElement(node) || node.tagName !== 'noscript') return false;
  return elementsOf(node).some(({ tagName }) => tagName === 'img');
}

function isPlaceholder(node: Node): boolean {
  if (!isElement(node) || node.tagName !== 'img') return false;
  return node.attrs.some(({ name }) => /^data-.*src/.test(name));
}
