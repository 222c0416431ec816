import { defaultTreeAdapter } from 'parse5';
import type { UrlBase } from './attribute-urls.ts';
import { sanitizeAttributes } from './attributes.ts';
import { type BodyImage, bodyImageOf } from './body-images.ts';
import { actionFor, frameName } from './elements.ts';
import { headingOf, isSameText } from './headings.ts';
import { createIds } from './ids.ts';
import { unmarkImage } from './image-marks.ts';
import {
  type Element,
  type Fragment,
  htmlLimits,
  isElement,
  type Node,
  namespaces,
  type Parent,
  textOf,
  tooDeep,
} from './parse-html.ts';
import type { Policy } from './policy.ts';
import { isProcessorPart, noParts, type ProcessorParts } from './processor-parts.ts';
import { isByline } from './text.ts';

export interface HtmlWalkOptions {
  /** Absent: nothing is dropped. */
  policy: Policy | undefined;
  base: UrlBase;
  parts?: ProcessorParts | undefined;
  /** The article's title. A first heading that repeats it is removed. */
  title?: string;
  /** The ids that the list of headings refers to. */
  slugs?: readonly string[];
  /** The text of the comments that take the place of images. Absent: images stay. */
  imageMark?: string | undefined;
}

export interface WalkResult {
  images: BodyImage[];
  /** The id of the heading that repeated the title and was removed. */
  droppedHeading?: string | undefined;
  /** The text without code blocks and footnote numbers. */
  prose: string;
  /** The first paragraph that is not a byline. */
  paragraph: string;
  /** The ids of the text; absent without a policy. */
  ids?: ReadonlySet<string> | undefined;
  /** Names of the elements and attributes of the article that were dropped. */
  dropped: string[];
}

interface Place {
  depth: number;
  /** The closest element around it that is kept. */
  parent: Parent;
  /** HTML, or the namespace of the SVG or MathML around it. */
  namespace: string;
  inFootnotes: boolean;
  /** Whether its text is part of the prose. */
  isProse: boolean;
}

const top = {
  depth: 0,
  namespace: namespaces.HTML,
  inFootnotes: false,
  isProse: true,
};
const notProse = new Set('pre sup script style svg annotation button'.split(' '));
const inline = new Set(
  'a abbr b code del em i ins kbd mark q s small span strong sub sup u'.split(' '),
);
/** The number of dropped names that are reported, and the length of each. */
const maxDropped = 20;
const maxNameLength = 40;

/**
 * Applies a policy to a tree, makes its URLs absolute, and collects its images, text and first paragraph.
 * Changes the tree.
 *
 * @throws when the tree is nested too deeply
 */
export function walkHtml(
  tree: Fragment,
  { policy, base, parts = noParts, title = '', slugs = [], imageMark }: HtmlWalkOptions,
): WalkResult {
  const images: BodyImage[] = [];
  const prose: string[] = [];
  const dropped = new Set<string>();
  const rules = { policy, base, parts, drop };
  const ids = createIds(slugs, drop);
  let hasBegun = false;
  /** The number of nodes at the start of the tree that are known to be blank. */
  let seen = 0;
  let droppedHeading: string | undefined;
  let firstParagraph: string | undefined;
  let paragraph: string | undefined;

  function drop(name: string): void {
    if (dropped.size < maxDropped) dropped.add(name.slice(0, maxNameLength));
  }

  function visit(node: Node, place: Place): void {
    if (isElement(node)) visitElement(node, place);
    else if (node.nodeName === '#text') {
      if (place.isProse && 'value' in node) prose.push(node.value);
      keep(node, place);
    } else if (!policy) keep(node, place);
  }

  function visitElement(element: Element, place: Place): void {
    const { tagName: tag } = element;
    if (place.depth >= htmlLimits.depth) throw tooDeep();
    const action = actionFor(element, place.namespace, rules);
    if (action !== 'keep') drop(tag === 'iframe' ? frameName(element, base.media) : tag);
    if (action === 'drop') return;
    const isBlock = place.isProse && !inline.has(tag);
    if (isBlock) prose.push(' ');
    const start = prose.length;
    const { childNodes } = element;
    const inner = action === 'keep' ? enter(element, place) : { ...place, depth: place.depth + 1 };
    for (const child of childNodes) visit(child, inner);
    if (tag === 'p' && !place.inFootnotes && paragraph === undefined) addParagraph(start);
    if (isBlock) prose.push(' ');
    if (action === 'keep') keepElement(element, place);
  }

  /** Sanitizes the attributes of an element that is kept, and returns the place of its content. */
  function enter(element: Element, around: Place): Place {
    const { tagName: tag, namespaceURI: namespace } = element;
    const place = {
      ...around,
      depth: around.depth + 1,
      parent: element,
      namespace: around.namespace === namespaces.HTML ? namespace : around.namespace,
      isProse: around.isProse && !notProse.has(tag),
    };
    element.childNodes = [];
    if (element.attrs.length === 0 || isProcessorPart(element)) return place;
    if (tag === 'img') unmarkImage(element);
    sanitizeAttributes(element, rules);
    if (policy) ids.see(element);
    for (const { name, value } of element.attrs) {
      if (name === 'data-footnotes') place.inFootnotes = true;
      if (name === 'aria-hidden') place.isProse &&= value !== 'true';
    }
    return place;
  }

  function keepElement(element: Element, place: Place): void {
    const { tagName: tag, attrs } = element;
    if (attrs.length === 0 && policy?.bareTags.has(tag)) {
      for (const child of element.childNodes) keep(child, place);
      return;
    }
    const isImage = tag === 'img' && place.parent.nodeName !== 'picture';
    const image = imageMark && isImage ? bodyImageOf(element) : undefined;
    if (image) images.push(image);
    keep(image && imageMark ? defaultTreeAdapter.createCommentNode(imageMark) : element, place);
  }

  function addParagraph(start: number): void {
    const text = prose.slice(start).join('').trim();
    firstParagraph ??= text || undefined;
    if (text !== '' && !isByline(text)) paragraph = text;
  }

  /** Removes the first node of the tree if it is a heading that repeats the title. */
  function dropTitle(): void {
    const isBlank = (node: Node) => node.nodeName === '#text' && textOf(node).trim() === '';
    const [first, ...others] = tree.childNodes.slice(seen).filter((node) => !isBlank(node));
    seen = tree.childNodes.length;
    hasBegun = first !== undefined;
    // An element that was replaced by its content may have left several nodes.
    const heading = first && others.length === 0 ? headingOf(first) : undefined;
    if (!heading || !isSameText(textOf(heading), title)) return;
    tree.childNodes = tree.childNodes.filter(isBlank);
    prose.length = 0;
    images.length = 0;
    droppedHeading = heading.attrs.find(({ name }) => name === 'id')?.value ?? '';
  }

  const { childNodes } = tree;
  tree.childNodes = [];
  for (const node of childNodes) {
    visit(node, { ...top, parent: tree });
    if (title && !hasBegun) dropTitle();
  }
  return {
    images,
    ids: policy && ids.dropOthers(),
    droppedHeading,
    prose: prose.join(''),
    paragraph: paragraph ?? firstParagraph ?? '',
    dropped: [...dropped],
  };
}

function keep(node: Node, { parent }: Place): void {
  node.parentNode = parent;
  parent.childNodes.push(node);
}
