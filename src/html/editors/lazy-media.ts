import { wordSet } from '../kept-names.ts';
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

/** The attributes with the URL of a picture or frame that a script shows. */
const lazyNames = wordSet('data-src data-lazy-src data-original data-srcset data-lazy-srcset');
const mediaTags = wordSet('img source iframe video audio');
const placeholderUrl =
  /^\s*(?:data:|about:|$)|(?:1x1|blank|empty|load(?:er|ing)|pixel|placeholder|spacer|transparent)[\w.-]{0,40}\.(?:gif|png|svg)/i;

/**
 * Shows pictures, frames and videos that wait for a script. Plugins of WordPress write the URL into a `data-` attribute, and
 * some of them the element itself into the `<noscript>` before or behind it.
 */
export function showLazyMedia(tree: Parent): void {
  const elements = elementsOf(tree);
  for (const parent of [tree, ...elements]) replaceWaiting(parent);
  for (const element of elements) if (mediaTags.has(element.tagName)) showMedia(element);
}

/** Replaces each element of a parent that waits with the one in the `<noscript>` next to it. */
function replaceWaiting(parent: Parent): void {
  const nodes: Node[] = [];
  for (const node of parent.childNodes) {
    const before = nodes.at(-1);
    const shown = before && (shownInPlaceOf(before, node) ?? shownInPlaceOf(node, before));
    if (shown) nodes.pop();
    nodes.push(shown ?? node);
  }
  parent.childNodes = nodes;
}

/** Returns the picture or frame in a `<noscript>`, if it has no other content, and an element waits for its URL. */
function shownInPlaceOf(waiting: Node, noscript: Node): Element | undefined {
  if (!isElement(waiting) || !isElement(noscript) || noscript.tagName !== 'noscript')
    return undefined;
  const [shown, ...others] = contentOf(noscript);
  if (!shown || !isElement(shown) || others.length > 0) return undefined;
  const media = shown.tagName === 'picture' ? contentOf(shown).at(-1) : shown;
  if (!media || !isElement(media) || media.tagName !== waiting.tagName) return undefined;
  const src = attributeOf(media, 'src')?.trim();
  const urls = waiting.attrs.filter(({ name }) => /^data-.*src/.test(name));
  if (!src || !urls.some(({ value }) => value.includes(src))) return undefined;
  shown.parentNode = waiting.parentNode;
  return shown;
}

/** Shows the URL in a `data-` attribute, if the element has only placeholders. */
function showMedia(element: Element): void {
  const [src = '', srcset = '', poster = 'none'] = ['src', 'srcset', 'poster'].map((name) =>
    attributeOf(element, name),
  );
  if (placeholderUrl.test(poster)) setAttribute(element, 'poster', undefined);
  const urls = element.attrs.filter(({ name, value }) => lazyNames.has(name) && value.trim());
  if (urls.length === 0 || !placeholderUrl.test(src) || !placeholderUrl.test(srcset)) return;
  for (const name of ['src', 'srcset']) setAttribute(element, name, undefined);
  for (const { name, value } of urls) {
    setAttribute(element, name, undefined);
    setAttribute(element, name.endsWith('set') ? 'srcset' : 'src', value);
  }
}
