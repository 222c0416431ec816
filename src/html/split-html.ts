import { prefixIds } from './ids.ts';
import { wordSet } from './kept-names.ts';
import {
  attributeOf,
  contentOf,
  type Element,
  isElement,
  maxRenderedParts,
  type Node,
  namespaces,
  outerHtml,
  type Parent,
  parseHtml,
} from './parse-html.ts';

/** A piece of an article: HTML, or an element that a component takes the place of. */
export type HtmlPart<C> = string | ComponentPart<C>;

interface ComponentPart<C> {
  component: C;
  attributes: Record<string, string>;
  /** The content of the element; undefined for an element that has none, such as an image. */
  children: HtmlPart<C>[] | undefined;
}

export interface HtmlComponents<C> {
  /** Components by tag name. */
  components?: Readonly<Record<string, C | undefined>> | undefined;
  /** Components by host, for paragraphs and figures that are nothing but a link to it. */
  embeds?: Readonly<Record<string, C | undefined>> | undefined;
  /** A text before all ids and references to them. */
  idPrefix?: string | undefined;
}

/**
 * Splits the HTML of an article at the elements that components take the place of. Each list of parts is
 * balanced: joined together, its parts open and close the same elements. Elements inside SVG, MathML and
 * `<template>` are HTML.
 *
 * @throws when the HTML is nested too deeply, or has too many parts
 */
export function splitHtml<C>(html: string, by: HtmlComponents<C>): HtmlPart<C>[] {
  const tree = parseHtml(html, maxRenderedParts);
  if (by.idPrefix) prefixIds(tree, by.idPrefix);
  return partsOf(tree, by);
}

function partsOf<C>(parent: Parent, by: HtmlComponents<C>): HtmlPart<C>[] {
  const parts: HtmlPart<C>[] = [];
  let html = '';

  function visit(node: Node): void {
    if (!isElement(node) || node.namespaceURI !== namespaces.HTML) {
      html += outerHtml(node);
      return;
    }
    const embed = embedOf(node, by.embeds);
    const component = embed?.component ?? ownValue(by.components, node.tagName);
    const element = embed?.link ?? node;
    const [start, end] = tagsOf(element);
    if (component) {
      if (html) parts.push(html);
      html = '';
      const attributes = embed?.attributes ?? attributesOf(node);
      parts.push({ component, attributes, children: end ? partsOf(element, by) : undefined });
      return;
    }
    html += start;
    element.childNodes.forEach(visit);
    html += end;
  }

  for (const node of parent.childNodes) {
    // In elements such as `<iframe>`, parse5 writes text without escapes, unless it has no parent: a component may show the text
    // elsewhere. A `<pre>` keeps its text, because its first newline depends on it.
    if (node.nodeName === '#text' && parent.nodeName !== 'pre') node.parentNode = null;
    visit(node);
  }
  if (html) parts.push(html);
  return parts;
}

function tagsOf(element: Element): [string, string] {
  const html = outerHtml({ ...element, childNodes: [] });
  const end = `</${element.tagName}>`;
  return html.endsWith(end) ? [html.slice(0, -end.length), end] : [html, ''];
}

/** Returns the link that is the only content of a paragraph or figure, and the component for its host. */
function embedOf<C>(element: Element, embeds: HtmlComponents<C>['embeds']) {
  const { tagName } = element;
  const [link, ...others] = contentOf(element);
  if (!link || !isElement(link) || link.tagName !== 'a') return undefined;
  // A link around a picture in a figure is not an embed.
  const isLine = tagName === 'p' || (tagName === 'figure' && !link.childNodes.some(isElement));
  const href = attributeOf(link, 'href') ?? '';
  const { protocol = '', host = '' } = URL.parse(href) ?? {};
  if (!isLine || others.length > 0 || !/^https?:/.test(protocol)) return undefined;
  const component = ownValue(embeds, host) ?? ownValue(embeds, host.replace(/^www\./, ''));
  return component && { link, component, attributes: { href } };
}

function ownValue<T>(values: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Names without a colon: Astro would interpret `client:load`, `server:defer` or `class:list`. */
const plainName = /^[a-z][\w.-]*$/;
/** The boolean attributes of HTML. */
const booleanAttributes = wordSet(`
  allowfullscreen async autofocus autoplay checked controls default defer disabled disablepictureinpicture
  disableremoteplayback formnovalidate inert ismap itemscope loop multiple muted nomodule novalidate open playsinline
  readonly required reversed selected`);

/**
 * Returns the attributes of an element as properties of a component: strings, by their names in HTML. A boolean
 * attribute has its name as its value, because components leave out a boolean attribute with an empty value.
 */
function attributesOf({ attrs }: Element): Record<string, string> {
  const plain = attrs.filter(({ name }) => plainName.test(name));
  return Object.fromEntries(
    plain.map(({ name, value }) => [
      name,
      value === '' && booleanAttributes.has(name) ? name : value,
    ]),
  );
}
