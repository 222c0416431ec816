import { attributeOf, isElement, type Node } from './parse-html.ts';

/**
 * Replaces images that wait for a script by the pictures that they wait for. Plugins of WordPress write the URL of a picture
 * into a `data-` attribute of an empty image, and the picture itself into a `<noscript>` next to it.
 */
export function withLazyPictures(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node, index) => {
    const neighbours = [nodes[index - 1], nodes[index + 1]];
    if (neighbours.some((other) => isPair(node, other))) return [];
    if (!('childNodes' in node) || !neighbours.some((other) => isPair(other, node))) return [node];
    return node.childNodes;
  });
}

/** Returns whether nodes are an image and a `<noscript>` with nothing but the same picture. */
function isPair(image: Node | undefined, noscript: Node | undefined): boolean {
  if (!image || !isElement(image) || image.tagName !== 'img') return false;
  if (!noscript || !isElement(noscript) || noscript.tagName !== 'noscript') return false;
  const waiting = image.attrs.filter(({ name }) => /^data-.*src/.test(name));
  if (waiting.length === 0) return false;
  const [first, ...others] = noscript.childNodes.filter(isElement);
  const inside = first?.tagName === 'picture' ? first.childNodes.filter(isElement).at(-1) : first;
  if (others.length > 0 || inside?.tagName !== 'img') return false;
  const src = pathOf(attributeOf(inside, 'src') ?? '');
  return waiting.some(({ value }) => value.split(',').map(pathOf).includes(src));
}

/** Returns the first word of a text, a URL, without its query, which some plugins add to. */
function pathOf(text: string): string {
  return /[^\s?#]+/.exec(text)?.[0] ?? '';
}
