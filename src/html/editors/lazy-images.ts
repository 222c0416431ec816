import {
  attributeOf,
  contentOf,
  type Element,
  elementsOf,
  isElement,
  type Node,
  type Parent,
  setAttribute,
} from '../parse-html.ts';

/** The longest value in which a URL is looked for. A `srcset` is shorter. */
const maxLength = 10_000;

/**
 * Replaces each image that waits for a script with the picture in the `<noscript>` before or behind it. Plugins of WordPress
 * write the URL into a `data-` attribute of the image, and the picture itself into the `<noscript>`.
 */
export function replaceLazyImages(tree: Parent): void {
  for (const parent of [tree, ...elementsOf(tree)]) {
    const replaced: Node[] = [];
    for (const node of parent.childNodes) {
      const before = replaced.at(-1);
      const picture = before && (pictureOf(before, node) ?? pictureOf(node, before));
      if (picture) replaced.splice(-1, 1, picture);
      else replaced.push(node);
      if (picture) picture.parentNode = parent;
    }
    parent.childNodes = replaced;
  }
}

/** Returns the picture in a `<noscript>`, if it has no other content, and an image waits for that picture. */
function pictureOf(image: Node, noscript: Node): Element | undefined {
  if (!isElement(image) || image.tagName !== 'img') return undefined;
  if (!isElement(noscript) || noscript.tagName !== 'noscript') return undefined;
  const [picture, ...others] = contentOf(noscript);
  if (!picture || !isElement(picture) || others.length > 0) return undefined;
  const shown = picture.tagName === 'picture' ? contentOf(picture).at(-1) : picture;
  if (!shown || !isElement(shown) || shown.tagName !== 'img') return undefined;
  const src = attributeOf(shown, 'src')?.trim();
  const waiting = image.attrs.filter(({ name }) => /^data-.*src/.test(name));
  if (!src || !waiting.some(({ value }) => includesUrl(value, src))) return undefined;
  for (const name of ['id', 'alt', 'title'])
    if (attributeOf(shown, name) === undefined) setAttribute(shown, name, attributeOf(image, name));
  return picture;
}

/** Returns whether a text such as a `srcset` has a URL, or the URL and more in its query, which some plugins add. */
function includesUrl(text: string, url: string): boolean {
  if (text.length > maxLength) return false;
  for (let at = text.indexOf(url); at !== -1; at = text.indexOf(url, at + url.length)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + url.length]];
    if (/[\s,]/.test(before) && /[\s,?&#]/.test(after)) return true;
  }
  return false;
}
