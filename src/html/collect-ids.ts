import { addDropped, type DroppedParts } from './dropped.ts';
import { contentPrefix, prefixReferences } from './ids.ts';
import { attributeOf, type Element, setAttribute } from './parse-html.ts';

/** Attributes with a URL or a value, which a script of the page could read from `window[id]` as its settings. */
const valued = /^(?:href|src|srcset|poster|data|cite|value|action|background)$/;

/**
 * Collects the ids of elements and the references to them. Only headings, footnotes and the targets of references
 * keep their ids, because scripts and styles of the site may use any other id.
 *
 * @param slugs the ids that a table of contents refers to
 */
export function collectIds(slugs: Iterable<string>, dropped: DroppedParts) {
  const targets = new Set(slugs);
  const elements: Element[] = [];
  /** The names of links, the older form of targets, by element. */
  const names = new Map<Element, string>();

  return {
    see(element: Element, name?: string): void {
      elements.push(element);
      if (name !== undefined) names.set(element, name);
      for (const attribute of element.attrs) {
        prefixReferences(attribute, (id) => {
          targets.add(id);
          return '';
        });
      }
    },

    /**
     * Drops the ids that are not kept, and returns the others. A target with a value gets the form that the ids of footnotes
     * have, and so do the references to it.
     */
    settle(): ReadonlySet<string> {
      useNames();
      const kept = new Set<string>();
      const changed = new Set<string>();
      for (const element of elements) {
        const id = attributeOf(element, 'id');
        if (id === undefined) continue;
        const value = keepId(element, id);
        if (value === undefined) continue;
        if (value !== id && !kept.has(id)) changed.add(id);
        kept.add(value);
      }
      if (changed.size > 0) prefixAll(changed);
      return kept;
    },
  };

  /** Turns names into ids. As in browsers, an element with that id comes first, then the first of equal names. */
  function useNames(): void {
    if (names.size === 0) return;
    const ids = new Set(elements.map((element) => attributeOf(element, 'id')));
    for (const [element, name] of names) {
      if (!ids.has(name)) setAttribute(element, 'id', name);
      ids.add(name);
    }
  }

  /** Changes or drops the id of an element. Returns the one that it keeps. */
  function keepId(element: Element, id: string): string | undefined {
    const value = keepableId(element, id);
    if (value === undefined) reportId(element);
    if (value !== id) setAttribute(element, 'id', value);
    return value;
  }

  function reportId(element: Element): void {
    const name = names.has(element) ? 'name' : 'id';
    addDropped(dropped, { kind: 'id', name, on: element.tagName });
  }

  /** Returns the id that an element keeps. */
  function keepableId(element: Element, id: string): string | undefined {
    const isOwn = /^h[1-6]$/.test(element.tagName) || id.startsWith(contentPrefix);
    if (!targets.has(id) && (!isOwn || hasValue(element))) return undefined;
    return hasValue(element) && !id.startsWith(contentPrefix) ? contentPrefix + id : id;
  }

  function prefixAll(ids: ReadonlySet<string>): void {
    const prefixOf = (id: string) => (ids.has(id) ? contentPrefix : '');
    for (const element of elements) {
      element.attrs = element.attrs.map((attribute) => ({
        ...attribute,
        value: prefixReferences(attribute, prefixOf),
      }));
    }
  }
}

export type IdCollection = ReturnType<typeof collectIds>;

/** Returns whether a script of the page could read the settings of something from `window[id]`. */
function hasValue({ attrs }: Element): boolean {
  return attrs.some(({ name, value }) => valued.test(name) && !value.startsWith('#'));
}
