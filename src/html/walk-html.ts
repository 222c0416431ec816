import { type SanitizeRules, sanitizeAttributes, takeName } from './attributes.ts';
import { collectIds } from './collect-ids.ts';
import { replaceLazyImages } from './editors/lazy-images.ts';
import { hasOwnHeight, moveRatioToFrame } from './editors/ratio-box.ts';
import { actionFor, frameName } from './elements.ts';
import { isStrayItem, listsWithin, noLists, type OpenLists } from './list-items.ts';
import {
  attributeOf,
  type Element,
  type Fragment,
  htmlLimits,
  isElement,
  type Node,
  namespaces,
  type Parent,
  setAttribute,
  tooDeep,
} from './parse-html.ts';
import { isProcessorPart, type ProcessorParts } from './processor-parts.ts';

export interface HtmlWalkOptions extends Pick<SanitizeRules, 'policy' | 'base'> {
  parts?: ProcessorParts | undefined;
  /** The ids that the list of headings refers to. */
  slugs?: readonly string[];
}

interface Place {
  depth: number;
  /** The number of grids and flexible boxes around it. */
  layouts: number;
  /** The closest element around it that is kept. */
  parent: Parent;
  /** HTML, or the namespace of the SVG or MathML around it. */
  namespace: string;
  /** The lists around it whose items it may have. */
  lists: OpenLists;
  /** Whether its text is part of the prose. */
  isProse: boolean;
}

const notProse = new Set('pre sup script style svg annotation button'.split(' '));
const inline = new Set(
  'a abbr b code del em i ins kbd mark q s small span strong sub sup u'.split(' '),
);
const frameTags = new Set(['iframe', 'object', 'embed']);
/** The number of dropped names that are reported, and the length of each. */
const maxDropped = 100;
const maxNameLength = 80;
const layout = /(?:^|;)\s*display\s*:[^;]*(?:flex|grid)/i;
/** The number of grids and flexible boxes in one another. Browsers lay out each level several times: ten hang a tab. */
const maxLayouts = 2;

/**
 * Applies a policy to a tree, and makes its URLs absolute. Changes the tree.
 *
 * @returns its text without code blocks and footnote numbers, its first paragraph with words, and the
 *   names of elements and attributes that were dropped
 * @throws when the tree is nested too deeply
 */
export function walkHtml(
  tree: Fragment,
  { policy, base, parts = new Set(), slugs = [] }: HtmlWalkOptions,
) {
  const prose: string[] = [];
  const dropped = new Set<string>();
  const rules = { policy, base, parts, drop };
  const ids = collectIds(slugs, drop);
  let paragraph = '';
  /** The number of elements that were dropped, and of frames among them. */
  let droppedElements = 0;
  let droppedFrames = 0;

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
    if (place.depth >= htmlLimits.depth) throw tooDeep();
    const { tagName: tag } = element;
    const action = actionFor(element, place, rules);
    if (action !== 'keep') reportDropped(element, place);
    if (action === 'drop') return;
    // Words of two blocks are two words.
    const separator = place.isProse && !inline.has(tag) ? [' '] : [];
    prose.push(...separator);
    const start = prose.length;
    if (action === 'keep') visitKept(element, place);
    else visitAll(element.childNodes, { ...place, depth: place.depth + 1 });
    if (tag === 'p') paragraph ||= prose.slice(start).join('').trim();
    prose.push(...separator);
  }

  function reportDropped(element: Element, { lists }: Place): void {
    droppedElements += 1;
    if (frameTags.has(element.tagName)) droppedFrames += 1;
    const where = isStrayItem(element.tagName, lists) ? ' outside of a list' : '';
    drop(nameOf(element, base.media) + where);
  }

  function visitKept(element: Element, place: Place): void {
    const { childNodes } = element;
    const before = { elements: droppedElements, frames: droppedFrames };
    visitAll(childNodes, enter(element, place));
    // Without its content, it would leave a gap. One that the article left empty stays: a script of the site may fill it.
    const { tagName: tag } = element;
    const lostContent = tag === 'figure' && droppedElements > before.elements;
    const lostFrame =
      tag === 'div' && droppedFrames > before.frames && hasOwnHeight(element) && !hasId(element);
    if ((lostContent || lostFrame) && element.childNodes.every(isEmpty)) return;
    keep(element, place);
  }

  function visitAll(nodes: readonly Node[], place: Place): void {
    const kept = policy ? replaceLazyImages(nodes) : nodes;
    for (const node of kept) visit(node, place);
  }

  /** Sanitizes the attributes of an element that is kept, and returns the place of its content. */
  function enter(element: Element, around: Place): Place {
    const { tagName: tag, namespaceURI: namespace } = element;
    const place = {
      ...around,
      depth: around.depth + 1,
      parent: element,
      namespace: around.namespace === namespaces.HTML ? namespace : around.namespace,
      lists: listsWithin(tag, around.lists),
      isProse: around.isProse && !notProse.has(tag),
    };
    element.childNodes = [];
    if (element.attrs.length === 0 || isProcessorPart(element)) return place;
    if (policy && tag === 'iframe') moveRatioToFrame(element, around.parent);
    const name = takeName(element, rules);
    sanitizeAttributes(element, rules);
    place.isProse &&= attributeOf(element, 'aria-hidden') !== 'true';
    if (!policy) return place;
    ids.see(element, name);
    return { ...place, layouts: limitLayouts(element, place.layouts) };
  }

  /** Returns the number of layouts in one another, with this element. Drops its style if it is one too many. */
  function limitLayouts(element: Element, around: number): number {
    if (!layout.test(attributeOf(element, 'style') ?? '')) return around;
    if (around < maxLayouts) return around + 1;
    setAttribute(element, 'style', undefined);
    drop('style');
    return around;
  }

  const { childNodes } = tree;
  tree.childNodes = [];
  const place = { depth: 0, layouts: 0, parent: tree, namespace: namespaces.HTML, lists: noLists };
  visitAll(childNodes, { ...place, isProse: true });
  const settled = policy && ids.settle();
  return {
    /** The ids of the text; absent without a policy. */
    ids: settled,
    prose: prose.join(''),
    paragraph,
    dropped: [...dropped],
    /** Whether elements were left out: the tree may be one that no text has. */
    isChanged: droppedElements > 0,
  };
}

const withoutContent = new Set(['div', 'span', 'p', 'figcaption']);

/** Returns whether a link could lead to a node, or into it. */
function hasId(node: Node): boolean {
  if (!isElement(node)) return false;
  return attributeOf(node, 'id') !== undefined || node.childNodes.some(hasId);
}

/** Returns whether a node shows nothing. */
function isEmpty(node: Node): boolean {
  if (isElement(node)) return withoutContent.has(node.tagName) && node.childNodes.every(isEmpty);
  return 'value' in node && node.value.trim() === '';
}

/** Names an element for reports. */
function nameOf(element: Element, base: URL): string {
  return element.tagName === 'iframe' ? frameName(element, base) : `<${element.tagName}>`;
}

function keep(node: Node, { parent }: Place): void {
  node.parentNode = parent;
  parent.childNodes.push(node);
}
