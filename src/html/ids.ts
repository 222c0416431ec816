import { urlKind } from './attribute-urls.ts';
import { addDropped, type DroppedParts } from './dropped.ts';
import { headingTags } from './headings.ts';
import { wordSet } from './kept-names.ts';
import {
  type Attribute,
  attributeOf,
  type Element,
  elementsOf,
  type Parent,
  setAttribute,
} from './parse-html.ts';

/** Processors put this before the ids of footnotes, so that no script of a page uses them. */
const contentPrefix = 'user-content-';

/** The attributes whose value is a list of ids. */
const idLists = wordSet(`
  aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto aria-labelledby
  aria-owns for headers`);

/**
 * Drops the ids that are not kept, and returns the others. Only headings, footnotes and the targets of references
 * keep theirs, because scripts and styles of the site may use any other id. A target with a value gets the form that the ids
 * of footnotes have, and so do the references to it.
 *
 * @param slugs the ids that a table of contents refers to
 */
export function makeIdsUnique(
  elements: readonly Element[],
  slugs: Iterable<string>,
  dropped: DroppedParts,
): ReadonlySet<string> {
  const targets = new Set(slugs);
  for (const attribute of elements.flatMap(({ attrs }) => attrs)) {
    prefixReferences(attribute, (id) => {
      targets.add(id);
      return '';
    });
  }
  const kept = new Set<string>();
  const changed = new Set<string>();
  for (const element of elements) {
    const id = attributeOf(element, 'id');
    if (id === undefined) continue;
    const value = keepableId(element, id, targets.has(id));
    if (value !== id) setAttribute(element, 'id', value);
    if (value === undefined) {
      addDropped(dropped, { kind: 'id', name: 'id', on: element.tagName });
      continue;
    }
    if (value !== id && !kept.has(id)) changed.add(id);
    kept.add(value);
  }
  const prefixOf = (id: string) => (changed.has(id) ? contentPrefix : '');
  if (changed.size > 0) setValues(elements, (attribute) => prefixReferences(attribute, prefixOf));
  return kept;
}

/** Returns the id that an element keeps. */
function keepableId(element: Element, id: string, isTarget: boolean): string | undefined {
  const isOwn = headingTags.has(element.tagName) || id.startsWith(contentPrefix);
  if (!isTarget && (!isOwn || hasValue(element))) return undefined;
  return hasValue(element) && !id.startsWith(contentPrefix) ? contentPrefix + id : id;
}

/** Returns whether a script of the page could read the settings of something from `window[id]`. */
function hasValue({ tagName, attrs }: Element): boolean {
  return attrs.some(
    ({ name, value }) => (name === 'value' || urlKind(tagName, name)) && !value.startsWith('#'),
  );
}

/** Puts a prefix before all ids of a tree, and before the references to them. Changes the tree. */
export function prefixIds(tree: Parent, prefix: string): void {
  const elements = elementsOf(tree);
  const ids = new Set(elements.map((element) => attributeOf(element, 'id')));
  const prefixOf = (id: string) => (ids.has(id) ? prefix : '');
  setValues(elements, (attribute) =>
    attribute.name === 'id' ? prefix + attribute.value : prefixReferences(attribute, prefixOf),
  );
}

function setValues(elements: readonly Element[], valueFor: (attribute: Attribute) => string): void {
  for (const element of elements)
    element.attrs = element.attrs.map((attribute) => ({
      ...attribute,
      value: valueFor(attribute),
    }));
}

/**
 * Returns the value of an attribute with a prefix before each id that it refers to.
 *
 * @param prefixOf returns the prefix of an id, or an empty text
 */
function prefixReferences({ name, value }: Attribute, prefixOf: (id: string) => string): string {
  return value.replace(
    referencePattern(name),
    (_, start: string, id: string) => start + (prefixOf(id) || prefixOf(decoded(id))) + id,
  );
}

function referencePattern(attribute: string): RegExp {
  if (idLists.has(attribute)) return /()(\S+)/g;
  return attribute === 'href' ? /^(#)(.*)/s : /^(url\(\s*["']?#)([^"')]*)/;
}

/** Decodes the fragment of a URL; returns it unchanged if it cannot be decoded, as browsers do. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
