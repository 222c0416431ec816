import type { DroppedHtml } from '../shared/dropped-html.ts';
import type { SanitizeRules } from './attributes.ts';
import { collectIds, type IdCollection } from './collect-ids.ts';
import { addDropped, type DroppedParts } from './dropped.ts';
import { actionFor, hostOfFrame } from './elements.ts';
import { isStrayItem } from './list-items.ts';
import {
  attributeOf,
  type Element,
  type Fragment,
  htmlLimits,
  isElement,
  type Node,
  namespaces,
  tooDeep,
} from './parse-html.ts';
import { enterElement, outermostPlace, type Place } from './place.ts';
import type { ProcessorParts } from './processor-parts.ts';

export interface HtmlWalkOptions extends Pick<SanitizeRules, 'policy' | 'base'> {
  parts?: ProcessorParts | undefined;
  /** The ids that the list of headings refers to. */
  slugs?: readonly string[];
}

export interface WalkedHtml {
  /** The ids of the text; absent without a policy. */
  ids: ReadonlySet<string> | undefined;
  /** The text without code blocks and footnote numbers. */
  prose: string;
  /** The first paragraph with words. */
  paragraph: string;
  /** The elements and attributes that were dropped, or a part of them. */
  dropped: DroppedHtml[];
  /** Whether elements were left out: the tree may be one that no text has. */
  isChanged: boolean;
}

/** The state of a walk. */
interface Walk {
  rules: SanitizeRules;
  ids: IdCollection;
  prose: string[];
  paragraph: string;
}

/** What is kept of nodes, and what was left out of them. */
interface Content {
  /** Whether it shows anything. */
  isShown: boolean;
  /** Whether a link could lead into it. */
  hasId: boolean;
  lostElement: boolean;
  lostFrame: boolean;
}

const nothing: Content = { isShown: false, hasId: false, lostElement: false, lostFrame: false };
const something: Content = { ...nothing, isShown: true };

const inline = new Set(
  'a abbr b code del em i ins kbd mark q s small span strong sub sup u'.split(' '),
);
const frameTags = new Set(['iframe', 'object', 'embed']);
/** Elements that show nothing but their content. */
const withoutLook = new Set(['div', 'span', 'p', 'figcaption']);

/**
 * Applies a policy to a tree, and makes its URLs absolute. Changes the tree.
 *
 * @throws when the tree is nested too deeply
 */
export function walkHtml(
  tree: Fragment,
  { policy, base, parts = new Set(), slugs = [] }: HtmlWalkOptions,
): WalkedHtml {
  const dropped: DroppedParts = new Map();
  const rules = { policy, base, parts, dropped };
  const walk: Walk = { rules, ids: collectIds(slugs, dropped), prose: [], paragraph: '' };
  const { childNodes } = tree;
  tree.childNodes = [];
  const { lostElement } = visitAll(childNodes, outermostPlace(tree), walk);
  const ids = policy && walk.ids.settle();
  return {
    ids,
    prose: walk.prose.join(''),
    paragraph: walk.paragraph,
    dropped: [...dropped.values()],
    isChanged: lostElement,
  };
}

function visitAll(nodes: readonly Node[], place: Place, walk: Walk): Content {
  const all = { ...nothing };
  for (const node of nodes) {
    const content = visit(node, place, walk);
    all.isShown ||= content.isShown;
    all.hasId ||= content.hasId;
    all.lostElement ||= content.lostElement;
    all.lostFrame ||= content.lostFrame;
  }
  return all;
}

function visit(node: Node, place: Place, walk: Walk): Content {
  if (isElement(node)) return visitElement(node, place, walk);
  const isText = 'value' in node;
  if (!isText && walk.rules.policy) return nothing;
  if (isText && place.isProse) walk.prose.push(node.value);
  keep(node, place);
  return isText && node.value.trim() === '' ? nothing : something;
}

function visitElement(element: Element, place: Place, walk: Walk): Content {
  if (place.depth >= htmlLimits.depth) throw tooDeep();
  const action = actionFor(element, place, walk.rules);
  if (action === 'keep') return visitProse(element, place, walk, visitKept);
  addDropped(walk.rules.dropped, partOf(element, place, walk.rules));
  const content = action === 'drop' ? nothing : visitProse(element, place, walk, visitReplaced);
  const lostFrame = content.lostFrame || frameTags.has(element.tagName);
  return { ...content, lostElement: true, lostFrame };
}

/** Visits an element, and reads its text. Words of two blocks are two words. */
function visitProse(
  element: Element,
  place: Place,
  walk: Walk,
  visitContent: typeof visitKept,
): Content {
  const { tagName: tag } = element;
  const { prose } = walk;
  const separator = place.isProse && !inline.has(tag) ? [' '] : [];
  prose.push(...separator);
  const start = prose.length;
  const content = visitContent(element, place, walk);
  if (tag === 'p') walk.paragraph ||= prose.slice(start).join('').trim();
  prose.push(...separator);
  return content;
}

/** Visits the content of an element that it replaces. */
function visitReplaced({ childNodes }: Element, place: Place, walk: Walk): Content {
  return visitAll(childNodes, { ...place, depth: place.depth + 1 }, walk);
}

function visitKept(element: Element, place: Place, walk: Walk): Content {
  const { tagName: tag, childNodes } = element;
  const content = visitAll(childNodes, enterElement(element, place, walk), walk);
  const hasId = content.hasId || attributeOf(element, 'id') !== undefined;
  if (isGap(tag, { ...content, hasId })) return content;
  keep(element, place);
  return { ...content, hasId, isShown: content.isShown || !withoutLook.has(tag) };
}

/**
 * Returns whether an element shows nothing but a gap, because its content was left out. One that the article left empty stays:
 * a script of the site may fill it.
 */
function isGap(tag: string, { isShown, hasId, lostElement, lostFrame }: Content): boolean {
  const lostAll = tag === 'figure' ? lostElement : tag === 'div' && lostFrame;
  return lostAll && !isShown && !hasId;
}

/** Describes an element that is left out. */
function partOf(
  element: Element,
  { namespace, lists }: Place,
  { base }: SanitizeRules,
): DroppedHtml {
  const { tagName: name, namespaceURI } = element;
  if (namespace !== namespaces.HTML || namespaceURI !== namespaces.HTML)
    return { kind: 'drawing', name };
  if (name === 'iframe') return { kind: 'frame', name, host: hostOfFrame(element, base.media) };
  return { kind: isStrayItem(name, lists) ? 'stray item' : 'element', name };
}

function keep(node: Node, { parent }: Place): void {
  node.parentNode = parent;
  parent.childNodes.push(node);
}
