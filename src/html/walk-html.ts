import type { DroppedHtml } from '../shared/dropped-html.ts';
import type { SanitizeRules } from './attributes.ts';
import { addDropped } from './dropped.ts';
import { actionFor, framedPage } from './elements.ts';
import { makeIdsUnique } from './ids.ts';
import { wordSet } from './kept-names.ts';
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
import { enterElement, isStrayItem, outermost, type Place } from './place.ts';

export interface WalkedHtml {
  /** The ids of the text; absent without a policy. */
  ids: ReadonlySet<string> | undefined;
  /** The text without code blocks and footnote numbers. */
  prose: string;
  /** The first paragraph with words. */
  paragraph: string;
  /** Whether elements were left out. Written out, such a tree may be read as another tree. */
  isChanged: boolean;
}

/** The state of a walk. */
interface HtmlWalk {
  rules: SanitizeRules;
  /** The elements with attributes that are kept. */
  elements: Element[];
  prose: string[];
  paragraph: string;
  lost: LostElements;
}

/** The number of elements that were left out, and of frames among them. */
interface LostElements {
  all: number;
  frames: number;
}

const inline = wordSet('a abbr b code del em i ins kbd mark q s small span strong sub sup u');
const frameTags = wordSet('iframe object embed');
/** Elements that show nothing but their content. */
const withoutLook = wordSet('div span p figcaption');

/**
 * Applies a policy to a tree, and makes its URLs absolute. Changes the tree.
 *
 * @param slugs the ids that the list of headings refers to
 * @throws when the tree is nested too deeply
 */
export function walkHtml(
  tree: Fragment,
  rules: SanitizeRules,
  slugs: readonly string[],
): WalkedHtml {
  const lost = { all: 0, frames: 0 };
  const walk: HtmlWalk = { rules, elements: [], prose: [], paragraph: '', lost };
  const { childNodes } = tree;
  tree.childNodes = [];
  visitAll(childNodes, { ...outermost, parent: tree }, walk);
  const ids = rules.policy && makeIdsUnique(walk.elements, slugs, rules.dropped);
  return { ids, prose: walk.prose.join(''), paragraph: walk.paragraph, isChanged: lost.all > 0 };
}

/** @returns whether one of the nodes that are kept shows anything, or a link could lead into it */
function visitAll(nodes: readonly Node[], place: Place, walk: HtmlWalk): boolean {
  return nodes.map((node) => visit(node, place, walk)).includes(true);
}

function visit(node: Node, place: Place, walk: HtmlWalk): boolean {
  if (isElement(node)) return visitElement(node, place, walk);
  const isText = 'value' in node;
  if (!isText && walk.rules.policy) return false;
  if (isText && place.isProse) walk.prose.push(node.value);
  keep(node, place);
  return !isText || node.value.trim() !== '';
}

/** Visits an element, and reads its text. Words of two blocks are two words. */
function visitElement(element: Element, place: Place, walk: HtmlWalk): boolean {
  if (place.depth >= htmlLimits.depth) throw tooDeep();
  const { tagName: tag } = element;
  const { rules, prose, lost } = walk;
  const action = actionFor(element, place, rules);
  const { childNodes } = element;
  const isKept = action === 'keep';
  if (!isKept) {
    addDropped(rules.dropped, partOf(element, place, rules));
    lost.all += 1;
    if (frameTags.has(tag)) lost.frames += 1;
  }
  if (action === 'drop') return false;
  const before = { ...lost };
  const within = isKept ? enterElement(element, place, walk) : { ...place, depth: place.depth + 1 };
  const separator = place.isProse && !inline.has(tag) ? ' ' : '';
  prose.push(separator);
  const start = prose.length;
  const isNeeded = visitAll(childNodes, within, walk);
  if (tag === 'p') walk.paragraph ||= prose.slice(start).join('').trim();
  prose.push(separator);
  if (!isKept) return isNeeded;
  const isShown = isNeeded || attributeOf(element, 'id') !== undefined;
  if (!isShown && canBeGap(tag, before, lost)) return false;
  keep(element, place);
  return isShown || !withoutLook.has(tag);
}

/**
 * Returns whether an element without content shows only a gap, because its content was left out. An element that the
 * article left empty stays, because a script of the site may fill it.
 */
function canBeGap(tag: string, before: LostElements, lost: LostElements): boolean {
  if (tag === 'figure') return lost.all > before.all;
  return tag === 'div' && lost.frames > before.frames;
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
  if (name === 'iframe')
    return { kind: 'frame', name, host: framedPage(element, base.media)?.hostname };
  return { kind: isStrayItem(name, lists) ? 'stray item' : 'element', name };
}

function keep(node: Node, { parent }: Place): void {
  node.parentNode = parent;
  parent.childNodes.push(node);
}
