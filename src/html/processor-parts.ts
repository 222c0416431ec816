import {
  type Attribute,
  type Element,
  elementsOf,
  namespaces,
  outerHtml,
  parseHtml,
} from './parse-html.ts';

/**
 * What the Markdown processor of a site writes by itself: its `<script>`, `<link>` and `<style>` elements as HTML, the
 * tag names of its other elements, its attributes as `partName()` writes them, and `tag data-name` for each `data-`
 * attribute, whose value may depend on the text.
 */
export type ProcessorParts = ReadonlySet<string>;

/** Returns the name under which an attribute with this value is in `ProcessorParts`. */
export function partName(tag: string, { name, value }: Attribute): string {
  return `${tag} ${name}=${value}`;
}

/** Returns the parts of the HTML that a processor has made of a text of its site, and not of an article. */
export function findProcessorParts(html: string): ProcessorParts {
  const parts = new Set<string>();
  for (const element of elementsOf(parseHtml(html))) {
    const { tagName, namespaceURI, attrs } = element;
    if (isProcessorPart(element)) {
      parts.add(outerHtml(element));
      continue;
    }
    // Elements of SVG and MathML depend on where they are, and ids on the text.
    if (namespaceURI === namespaces.HTML) parts.add(tagName);
    for (const each of attrs) {
      if (each.name !== 'id') parts.add(partName(tagName, each));
      if (each.name.startsWith('data-')) parts.add(`${tagName} ${each.name}`);
    }
  }
  return parts;
}

/** Returns whether an element is of a kind that only the processor may write. */
export function isProcessorPart({ tagName }: Element): boolean {
  return tagName === 'script' || tagName === 'link' || tagName === 'style';
}
