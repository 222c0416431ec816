import type { Token } from 'parse5';
import { parseJson } from './json-value.ts';

/**
 * If a string of an entry's `data` begins with this prefix, Astro imports the file whose path follows it
 * (`content/mutable-data-store.js`, Astro 6 and 7). In the HTML of an entry, it is the name of an attribute whose
 * value describes an image (`content/runtime.js`).
 */
const mark = '__ASTRO_IMAGE_';

/** Returns the text that makes Astro import the image file with a path, as Astro's own `image()` does. */
export function markImagePath(path: string): string {
  return mark + path;
}

/** Returns the path in a text that Astro's `image()` has made; undefined for any other text. */
export function markedPath(text: string): string | undefined {
  return text.startsWith(mark) ? text.slice(mark.length) : undefined;
}

/** Escapes the marks in serialised HTML, which are text of the article. */
export function escapeHtmlMarks(html: string): string {
  return html.replaceAll(`${mark}=`, `${mark}&#x3D;`);
}

/** Returns the HTML that Astro replaces with an image of a local file. */
export function markedImage(properties: { src: string; index: number; [name: string]: unknown }) {
  // Astro 6 decodes only the quotes, so ampersands are escaped within the JSON.
  const json = JSON.stringify(properties).replaceAll('&', '\\u0026').replaceAll('"', '&#x22;');
  return `<img ${mark}="${json}">`;
}

// The HTML parser writes the names of attributes in lower case.
const markAttribute = mark.toLowerCase();
/** Properties that only Astro's pipeline uses. */
const ignored = ['index', 'inferSize'];

/**
 * Restores the attributes of an image that Astro's Markdown processor has marked for its image pipeline:
 * the pipeline would look for the file next to the file of the entry.
 */
export function unmarkImage(element: { attrs: Token.Attribute[] }): void {
  const marked = element.attrs.find(({ name }) => name === markAttribute);
  if (!marked) return;
  const restored = attributesOfMark(marked.value);
  const names = new Set([markAttribute, ...restored.map(({ name }) => name)]);
  element.attrs = [...restored, ...element.attrs.filter(({ name }) => !names.has(name))];
}

/** Parses the JSON of a mark; empty for an article's own text that looks like one. */
function attributesOfMark(json: string): Token.Attribute[] {
  return Object.entries(Object(parseJson(json))).flatMap(([name, value]) => {
    const isText = typeof value === 'string' || typeof value === 'number' || value === true;
    if (ignored.includes(name) || !isText) return [];
    return [{ name: attributeName(name), value: value === true ? '' : String(value) }];
  });
}

/** HAST writes `data-x` and `aria-x` as `dataX` and `ariaX`, and most other names without hyphens. */
function attributeName(property: string): string {
  const hasHyphens = /^(?:data|aria)[A-Z]/.test(property);
  return property.replace(/[A-Z]/g, hasHyphens ? '-$&' : '$&').toLowerCase();
}
