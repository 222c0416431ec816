import {
  type Element,
  isElement,
  type Node,
  namespaces,
  outerHtml,
  type Parent,
  parseHtml,
} from './parse-html.ts';

/** A piece of an article: HTML, or an element that a component takes the place of. */
export type ArticlePart<C> = string | ComponentPart<C>;

interface ComponentPart<C> {
  component: C;
  attributes: Record<string, string>;
  /** The content of the element; undefined for an element that has none, such as an image. */
  children: ArticlePart<C>[] | undefined;
}

export interface ArticleComponents<C> {
  /** Components by tag name. */
  components?: Readonly<Record<string, C | undefined>> | undefined;
  /** Components by host, for paragraphs that are nothing but a link to it. */
  embeds?: Readonly<Record<string, C | undefined>> | undefined;
}

type Found<C> = Map<Element, { component: C; attributes: Record<string, string>; from: Element }>;

/**
 * Splits the HTML of an article at the elements that components take the place of. Each list of parts is
 * balanced: joined together, its parts open and close the same elements. Elements inside SVG, MathML and
 * `<template>` are HTML.
 *
 * @throws when the HTML exceeds `htmlLimits`
 */
export function splitArticle<C>(html: string, by: ArticleComponents<C>): ArticlePart<C>[] {
  const tree = parseHtml(html);
  const found: Found<C> = new Map();
  const around = new Set<Parent>();
  find(tree, by, { found, around });
  return partsOf(tree, found, around);
}

/** Finds the elements that components take the place of, and all elements around them. */
function find<C>(
  parent: Parent,
  by: ArticleComponents<C>,
  { found, around }: { found: Found<C>; around: Set<Parent> },
): boolean {
  let hasAny = false;
  for (const element of parent.childNodes.filter(isElement)) {
    const { tagName: tag } = element;
    if (element.namespaceURI !== namespaces.HTML || tag === 'template') continue;
    if (tag === 'pre') keepFirstLineBreak(element);
    const { link, component: embed } = embedOf(element, by.embeds) ?? {};
    const component = by.components && ownValue(by.components, tag);
    if (link && embed) {
      found.set(element, { component: embed, attributes: hrefOf(link), from: link });
    } else if (component) {
      found.set(element, { component, attributes: attributesOf(element), from: element });
    }
    const hasInside = find(element, by, { found, around });
    hasAny ||= hasInside || found.has(element);
  }
  if (hasAny) around.add(parent);
  return hasAny;
}

function partsOf<C>(
  parent: Parent,
  found: Found<C>,
  around: ReadonlySet<Parent>,
): ArticlePart<C>[] {
  const parts: ArticlePart<C>[] = [];
  let html = '';

  function visit(node: Node): void {
    const replaced = isElement(node) ? found.get(node) : undefined;
    if (replaced) {
      const { component, attributes, from } = replaced;
      if (html) parts.push(html);
      html = '';
      const children = isVoid(from) ? undefined : partsOf(from, found, around);
      parts.push({ component, attributes, children });
    } else if (isElement(node) && around.has(node)) {
      const [start, end] = tagsOf(node);
      html += start;
      node.childNodes.forEach(visit);
      html += end;
    } else html += outerHtml(node);
  }

  for (const node of parent.childNodes) {
    // Some elements, such as `<iframe>`, contain text without escapes. A component may show it elsewhere.
    if (node.nodeName === '#text') node.parentNode = null;
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

function isVoid(element: Element): boolean {
  return tagsOf(element)[1] === '';
}

/** Returns the link that is the only content of a paragraph, and the component for its host. */
function embedOf<C>(paragraph: Element, embeds: ArticleComponents<C>['embeds']) {
  if (!embeds || paragraph.tagName !== 'p') return undefined;
  const [link, ...others] = paragraph.childNodes.filter(
    (node) => !('value' in node) || node.value.trim() !== '',
  );
  if (!link || !isElement(link) || link.tagName !== 'a' || others.length > 0) return undefined;
  const url = URL.parse(hrefOf(link).href);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const component = ownValue(embeds, url.host) ?? ownValue(embeds, url.host.replace(/^www\./, ''));
  return component && { link, component };
}

function hrefOf({ attrs }: Element): { href: string } {
  return { href: attrs.find(({ name }) => name === 'href')?.value ?? '' };
}

/** The HTML parser ignores a line break at the start of `<pre>`, so a second one is needed to keep it. */
function keepFirstLineBreak({ childNodes: [first] }: Element): void {
  if (first && 'value' in first && first.value.startsWith('\n')) first.value = `\n${first.value}`;
}

function ownValue<T>(values: Readonly<Record<string, T | undefined>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Names without a colon: Astro would interpret `client:load`, `server:defer` or `class:list`. */
const plainName = /^[a-z][\w.-]*$/;
/** The boolean attributes of HTML. */
const boolean = new Set(
  (
    'allowfullscreen async autofocus autoplay checked controls default defer disabled ' +
    'disablepictureinpicture disableremoteplayback formnovalidate inert ismap itemscope loop multiple ' +
    'muted nomodule novalidate open playsinline readonly required reversed selected'
  ).split(' '),
);

/**
 * Returns the attributes of an element as properties of a component: strings, by their names in HTML. A boolean
 * attribute has its name as its value, because components leave out a boolean attribute with an empty value.
 */
function attributesOf({ attrs }: Element): Record<string, string> {
  const plain = attrs.filter(({ name }) => plainName.test(name));
  return Object.fromEntries(
    plain.map(({ name, value }) => [name, value === '' && boolean.has(name) ? name : value]),
  );
}
