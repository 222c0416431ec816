import { attributeOf, elementsOf, type Parent, setAttribute } from '../parse-html.ts';

/**
 * Turns the `name` of each link into its id, of which it is the older form. As in browsers, an element with that id comes
 * first, then the first of equal names.
 */
export function turnNamesIntoIds(tree: Parent): void {
  const elements = elementsOf(tree);
  const ids = new Set(elements.map((element) => attributeOf(element, 'id')));
  for (const element of elements) {
    const name = element.tagName === 'a' && attributeOf(element, 'name');
    if (!name || (attributeOf(element, 'id') ?? name) !== name) continue;
    setAttribute(element, 'name', undefined);
    if (!ids.has(name)) setAttribute(element, 'id', name);
    ids.add(name);
  }
}
