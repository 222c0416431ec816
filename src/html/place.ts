import { type SanitizeRules, sanitizeAttributes, takeName } from './attributes.ts';
import type { IdCollection } from './collect-ids.ts';
import { addDropped } from './dropped.ts';
import { listsWithin, noLists, type OpenLists } from './list-items.ts';
import {
  attributeOf,
  type Element,
  type Fragment,
  namespaces,
  type Parent,
  setAttribute,
} from './parse-html.ts';
import { isProcessorPart } from './processor-parts.ts';

/** Where a node of an article is. */
export interface Place {
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
const layout = /(?:^|;)\s*display\s*:[^;]*(?:flex|grid)/i;
/** The number of grids and flexible boxes in one another. Browsers lay out each level several times: ten hang a tab. */
const maxLayouts = 2;

export function outermostPlace(tree: Fragment): Place {
  return {
    depth: 0,
    layouts: 0,
    parent: tree,
    namespace: namespaces.HTML,
    lists: noLists,
    isProse: true,
  };
}

/** Sanitizes the attributes of an element that is kept, takes its content out, and returns the place of that. */
export function enterElement(
  element: Element,
  around: Place,
  { rules, ids }: { rules: SanitizeRules; ids: IdCollection },
): Place {
  const { tagName: tag, namespaceURI: namespace } = element;
  const place = {
    depth: around.depth + 1,
    layouts: around.layouts,
    parent: element,
    namespace: around.namespace === namespaces.HTML ? namespace : around.namespace,
    lists: listsWithin(tag, around.lists),
    isProse: around.isProse && !notProse.has(tag),
  };
  element.childNodes = [];
  if (element.attrs.length === 0 || isProcessorPart(element)) return place;
  const name = takeName(element, rules);
  sanitizeAttributes(element, rules);
  place.isProse &&= attributeOf(element, 'aria-hidden') !== 'true';
  if (!rules.policy) return place;
  ids.see(element, name);
  place.layouts = limitLayouts(element, place.layouts, rules);
  return place;
}

/** Returns the number of layouts in one another, with an element. Drops its style if it is one too many. */
function limitLayouts(element: Element, around: number, { dropped }: SanitizeRules): number {
  if (!layout.test(attributeOf(element, 'style') ?? '')) return around;
  if (around < maxLayouts) return around + 1;
  setAttribute(element, 'style', undefined);
  addDropped(dropped, { kind: 'value', name: 'style', on: element.tagName });
  return around;
}
