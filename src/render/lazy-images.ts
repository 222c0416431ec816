import { attributeOf, contentOf, isElement, type Node } from './parse-html.ts';

/**
 * Replaces each image that waits for a script with the picture in the `<noscript>` next to it. Plugins of WordPress write
 * the URL into a `data-` attribute of the image, and the picture itself into the `<noscript>`.
 */
export function replaceLazyImages(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node, index) => {
    const neighbours = [nodes[index - 1], nodes[index + 1]];
    if (neighbours.some((other) => isPair(node, other))) return [];
    if (!('childNodes' in node) || !neighbours.some((other) => isPair(other, node))) return [node];
    return node.childNodes;
  });
}

/** Returns whether nodes are an image that waits, and a `<noscript>` with nothing but the same picture. */
function isPair(image: Node | undefined, noscript: Node | undefined): boolean {
  if (!image || !isElement(image) || image.tagName !== 'img') return false;
  if (!noscript || !isElement(noscript) || noscript.tagName !== 'noscript') return false;
  const waiting = image.attrs.filter(({ name }) => /^data-.*src/.test(name));
  if (waiting.length === 0) return false;
  const [first, ...others] = contentOf(noscript);
  if (!first || !isElement(first) || others.length > 0) return false;
  const shown = first.tagName === 'picture' ? contentOf(first).at(-1) : first;
  if (!shown || !isElement(shown) || shown.tagName !== 'img') return false;
  const src = withoutQuery(attributeOf(shown, 'src') ?? '');
  return (
    src !== '' && waiting.some(({ value }) => value.split(',').map(withoutQuery).includes(src))
  );
}

/** Returns the URL at the start of a text, such as one in a `srcset`, without its query, which some plugins change. */
function withoutQuery(text: string): string {
  return /[^\s?#]+/.exec(text)?.[0] ?? '';
}
