import type { Attribute, Element } from './parse-html.ts';

// The HTML parser writes the names of attributes in lower case.
const mark = '__astro_image_';
/** Properties that the element itself still has, or that only Astro's pipeline uses. */
const ignored = new Set(['className', 'htmlFor', 'index', 'inferSize']);

/**
 * Restores the attributes of an image that Astro's Markdown processor has marked for its image pipeline:
 * the pipeline would look for the file next to that of the entry.
 */
export function unmarkImage(element: Element): void {
  const marked = element.attrs.find(({ name }) => name === mark);
  if (!marked) return;
  const restored = attributesOf(marked.value);
  const names = new Set([mark, ...restored.map(({ name }) => name)]);
  element.attrs = [...restored, ...element.attrs.filter(({ name }) => !names.has(name))];
}

/** Parses the JSON of a mark; empty for an article's own text that looks like one. */
function attributesOf(json: string): Attribute[] {
  try {
    const properties: unknown = JSON.parse(json);
    if (typeof properties !== 'object' || !properties) return [];
    return Object.entries(properties).flatMap(([name, value]) => {
      if (ignored.has(name)) return [];
      if (value === true) return [{ name: attributeName(name), value: '' }];
      const isText = typeof value === 'string' || typeof value === 'number';
      return isText ? [{ name: attributeName(name), value: String(value) }] : [];
    });
  } catch {
    return [];
  }
}

/** HAST writes `data-x` and `aria-x` as `dataX` and `ariaX`, and most other names without hyphens. */
function attributeName(property: string): string {
  const hasHyphens = /^(?:data|aria)[A-Z]/.test(property);
  return property.replace(/[A-Z]/g, hasHyphens ? '-$&' : '$&').toLowerCase();
}
