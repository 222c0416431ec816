import { type SanitizeRules, sanitizeAttributes } from './attributes.ts';
import { wordSet } from './kept-names.ts';
import { attributeOf, type Element, namespaces, type Parent } from './parse-html.ts';
import { isProcessorPart } from './processor-parts.ts';

/** The lists that the items at a place of an article may be in. */
interface OpenLists {
  /** Whether a list is around it, nearer than any other item. */
  items: boolean;
  /** Whether a description list is around it, nearer than any other term or description. */
  terms: boolean;
}

/** Where a node of an article is. */
export interface Place {
  depth: number;
  /** The closest element around it that is kept. */
  parent: Parent;
  /** HTML, or the namespace of the SVG or MathML around it. */
  namespace: string;
  /** The lists around it whose items it may have. */
  lists: OpenLists;
  /** Whether its text is part of the prose. */
  isProse: boolean;
}

const notProse = wordSet('pre sup script style svg annotation button');

const listElements = wordSet('ul ol menu dir');

/** The place of the outermost nodes, whose parent is the tree. */
export const outermost: Omit<Place, 'parent'> = {
  depth: 0,
  namespace: namespaces.HTML,
  lists: { items: false, terms: false },
  isProse: true,
};

/** Sanitizes the attributes of an element that is kept, takes its content out, and returns the place of that. */
export function enterElement(
  element: Element,
  around: Place,
  { rules, elements }: { rules: SanitizeRules; elements: Element[] },
): Place {
  const { tagName: tag, namespaceURI: namespace } = element;
  const place = {
    depth: around.depth + 1,
    parent: element,
    namespace: around.namespace === namespaces.HTML ? namespace : around.namespace,
    lists: listsWithin(tag, around.lists),
    isProse: around.isProse && !notProse.has(tag),
  };
  element.childNodes = [];
  if (element.attrs.length === 0 || isProcessorPart(element)) return place;
  sanitizeAttributes(element, rules);
  place.isProse &&= attributeOf(element, 'aria-hidden') !== 'true';
  if (rules.policy) elements.push(element);
  return place;
}

/**
 * Returns whether an element is an item whose list is not around it. It would close an item of the page, if the page shows
 * the article in a list of its own.
 */
export function isStrayItem(tag: string, { items, terms }: OpenLists): boolean {
  if (tag === 'li') return !items;
  return (tag === 'dt' || tag === 'dd') && !terms;
}

/** Returns the lists that the items within an element may be in. */
function listsWithin(tag: string, around: OpenLists): OpenLists {
  if (listElements.has(tag)) return { ...around, items: true };
  if (tag === 'li') return { ...around, items: false };
  if (tag === 'dl') return { ...around, terms: true };
  if (tag === 'dt' || tag === 'dd') return { ...around, terms: false };
  return around;
}
