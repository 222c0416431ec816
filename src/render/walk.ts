import { defaultTreeAdapter } from 'parse5';
import type { AddressBase } from './addresses.ts';
import { judgeAttributes } from './attributes.ts';
import { type BodyImage, bodyImageOf } from './body-images.ts';
import { drawsNothing, fateOf } from './elements.ts';
import { headingOf, isSameText } from './headings.ts';
import { contextOf, type StyleContext } from './inline-style.ts';
import { unmarkImage } from './marked-images.ts';
import {
  type Element,
  type Fragment,
  isElement,
  most,
  type Node,
  namespaces,
  type Parent,
  textOf,
  tooDeep,
} from './parse-html.ts';
import type { Policy } from './policy.ts';
import { isProcessorPart, noParts, type ProcessorParts } from './processor-parts.ts';
import { isByline } from './text.ts';

export interface WalkOptions {
  /** Absent: everything is kept. */
  policy: Policy | undefined;
  base: AddressBase;
  parts?: ProcessorParts | undefined;
  /** The article's title: a first heading that repeats it is left out. */
  title?: string;
  /** The text of the comments that take the place of images. Absent: images stay. */
  imageMark?: string | undefined;
}

export interface Walked {
  images: BodyImage[];
  /** The id of the heading that was left out. */
  droppedHeading?: string;
  /** The text without code blocks and footnote numbers, which are not read as words. */
  prose: string;
  /** The first paragraph that is not a byline. */
  paragraph: string;
  /** Names of the elements and attributes of the article that were dropped. */
  dropped: string[];
}

/** Where a node is. */
interface Place extends StyleContext {
  depth: number;
  /** The kept element that it goes to. */
  parent: Parent;
  /** HTML, or the namespace of the drawing or formula that it is in. */
  namespace: string;
  inFootnotes: boolean;
  /** Whether its text is part of the prose. */
  isSpoken: boolean;
}

const top = {
  depth: 0,
  namespace: namespaces.HTML,
  inRelative: false,
  inSized: false,
  inFootnotes: false,
  isSpoken: true,
};
const silent = new Set('pre sup script style svg annotation button'.split(' '));
const inline = new Set(
  'a abbr b code del em i ins kbd mark q s small span strong sub sup u'.split(' '),
);
/** How many names of dropped parts are reported, and how much of each. */
const mostDropped = 20;
const longestName = 40;

/**
 * Applies a policy to a tree, makes its addresses absolute, and collects what its HTML shows of an article.
 * It changes the tree.
 *
 * @throws when the tree is nested too deeply
 */
export function walk(
  tree: Fragment,
  { policy, base, parts = noParts, title = '', imageMark }: WalkOptions,
): Walked {
  const images: BodyImage[] = [];
  let prose = '';
  const dropped = new Set<string>();
  const judgement = { policy, base, classes: parts.codeClasses, drop };
  let hasBegun = false;
  let droppedHeading: string | undefined;
  let firstParagraph: string | undefined;
  let paragraph: string | undefined;

  function drop(name: string): void {
    if (dropped.size < mostDropped) dropped.add(name.slice(0, longestName));
  }

  function visit(node: Node, place: Place): void {
    if (isElement(node)) visitElement(node, place);
    else if (node.nodeName === '#text') {
      if (place.isSpoken) prose += flatText(node);
      keep(node, place);
    } else if (!policy) keep(node, place);
  }

  function visitElement(element: Element, place: Place): void {
    const { tagName: tag } = element;
    if (place.depth >= most.depth) throw tooDeep();
    const fate = policy ? fateOf(element, place.namespace, { policy, parts, base }) : 'keep';
    if (fate !== 'keep') drop(tag);
    if (fate === 'drop') return;
    const isBlock = place.isSpoken && !inline.has(tag);
    if (isBlock) prose += ' ';
    const start = prose.length;
    const { childNodes } = element;
    const inner = fate === 'keep' ? enter(element, place) : { ...place, depth: place.depth + 1 };
    for (const child of childNodes) visit(child, inner);
    if (tag === 'p' && !place.inFootnotes && paragraph === undefined) addParagraph(start);
    if (isBlock) prose += ' ';
    if (fate === 'keep') keepElement(element, place);
  }

  /** Judges the attributes of an element that is kept, and returns the place of its content. */
  function enter(element: Element, around: Place): Place {
    const { tagName: tag, namespaceURI: namespace } = element;
    const place = {
      depth: around.depth + 1,
      parent: element,
      namespace: around.namespace === namespaces.HTML ? namespace : around.namespace,
      inRelative: around.inRelative,
      inSized: around.inSized,
      inFootnotes: around.inFootnotes,
      isSpoken: around.isSpoken && !silent.has(tag),
    };
    element.childNodes = [];
    if (element.attrs.length === 0 || isProcessorPart(element)) return place;
    if (tag === 'img') unmarkImage(element);
    judgeAttributes(element, around, judgement);
    for (const { name, value } of element.attrs) {
      if (name === 'style') {
        const { inRelative, inSized } = contextOf(value);
        place.inRelative ||= inRelative;
        place.inSized ||= inSized;
      }
      if (name === 'data-footnotes') place.inFootnotes = true;
      if (name === 'aria-hidden') place.isSpoken &&= value !== 'true';
    }
    return place;
  }

  function keepElement(element: Element, place: Place): void {
    const { tagName: tag, attrs } = element;
    if (policy && drawsNothing(element)) drop(tag);
    else if (attrs.length === 0 && policy?.bareTags.has(tag)) {
      for (const child of element.childNodes) keep(child, place);
    } else {
      const isPicture = 'tagName' in place.parent && place.parent.tagName === 'picture';
      const image = imageMark && tag === 'img' && !isPicture ? bodyImageOf(element) : undefined;
      if (image) images.push(image);
      keep(image && imageMark ? defaultTreeAdapter.createCommentNode(imageMark) : element, place);
    }
  }

  function addParagraph(start: number): void {
    const text = prose.slice(start).trim();
    firstParagraph ??= text || undefined;
    if (text !== '' && !isByline(text)) paragraph = text;
  }

  /** Leaves out the first node of the tree, when it is a heading that repeats the title. */
  function dropTitle(spoken: number): void {
    const last = tree.childNodes.at(-1);
    hasBegun = last !== undefined && (last.nodeName !== '#text' || textOf(last).trim() !== '');
    const heading = last && headingOf(last);
    if (!heading || !isSameText(textOf(heading), title)) return;
    tree.childNodes.pop();
    prose = prose.slice(0, spoken);
    droppedHeading = heading.attrs.find(({ name }) => name === 'id')?.value ?? '';
  }

  const { childNodes } = tree;
  tree.childNodes = [];
  for (const node of childNodes) {
    const spoken = prose.length;
    visit(node, { ...top, parent: tree });
    if (title && !hasBegun) dropTitle(spoken);
  }
  return {
    images,
    ...(droppedHeading === undefined ? {} : { droppedHeading }),
    prose,
    paragraph: paragraph ?? firstParagraph ?? '',
    dropped: [...dropped],
  };
}

/** Returns a text as one string: the parser has joined it word by word, which slows every use of it down. */
function flatText(node: Node): string {
  if (!('value' in node)) return '';
  node.value.charCodeAt(0);
  return node.value;
}

function keep(node: Node, { parent }: Place): void {
  node.parentNode = parent;
  parent.childNodes.push(node);
}
