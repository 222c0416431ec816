import { type Attribute, attributeOf, elementsOf, type Parent } from './parse-html.ts';

/** Processors put this before the ids of footnotes, so that no script of a page uses them. */
export const contentPrefix = 'user-content-';

/** The attributes whose value is a list of ids. */
const lists =
  /^(?:aria-(?:labelledby|describedby|details|controls|owns|flowto|activedescendant|errormessage)|headers|for)$/;

/**
 * Returns the value of an attribute with a prefix before each id that it refers to.
 *
 * @param prefixOf returns the prefix of an id, or an empty text
 */
export function prefixReferences(
  { name, value }: Attribute,
  prefixOf: (id: string) => string,
): string {
  const prefixOfFragment = (fragment: string) => prefixOf(fragment) || prefixOf(decoded(fragment));
  if (lists.test(name)) return value.replace(/\S+/g, (id) => prefixOf(id) + id);
  if (name === 'href' && value.startsWith('#')) {
    const fragment = value.slice(1);
    return `#${prefixOfFragment(fragment)}${fragment}`;
  }
  return value.replace(
    /^(url\(\s*["']?#)([^"')]*)/,
    (_, start: string, fragment: string) => start + prefixOfFragment(fragment) + fragment,
  );
}

/** Puts a prefix before all ids of a tree, and before the references to them. Changes the tree. */
export function prefixIds(tree: Parent, prefix: string): void {
  const elements = elementsOf(tree);
  const ids = new Set(elements.map((element) => attributeOf(element, 'id')));
  const prefixOf = (id: string) => (ids.has(id) ? prefix : '');
  for (const element of elements) {
    element.attrs = element.attrs.map((attribute) => {
      const isId = attribute.name === 'id';
      const value = isId ? prefix + attribute.value : prefixReferences(attribute, prefixOf);
      return { ...attribute, value };
    });
  }
}

/** Decodes the fragment of a URL. Browsers use one that cannot be decoded as it is. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
