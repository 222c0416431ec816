import {
  type Attribute,
  type Element,
  isElement,
  namespaces,
  outerHtml,
  type Parent,
  parseHtml,
} from './parse-html.ts';

/** The elements and attributes that the Markdown processor of a site writes by itself. */
export interface ProcessorParts {
  /** Its `<script>`, `<link>` and `<style>` elements, as HTML. All others are dropped from articles. */
  elements: ReadonlySet<string>;
  /** The tag names of its other elements. */
  tags: ReadonlySet<string>;
  /** Its attributes, as `partName()` writes them. */
  attributes: ReadonlySet<string>;
  /** The classes of its code blocks, such as the name of a colour theme. */
  codeClasses: ReadonlySet<string>;
}

export const noParts: ProcessorParts = {
  elements: new Set(),
  tags: new Set(),
  attributes: new Set(),
  codeClasses: new Set(),
};

/** Returns the name under which an attribute with this value is in `ProcessorParts`. */
export function partName(tag: string, { name, value }: Attribute): string {
  return `${tag} ${name}=${value}`;
}

const probe = `## Heading

Text with $x^2$ and a note[^1].

\`\`\`js title="file.js" {1}
const x = 1;
\`\`\`

\`\`\`sh
echo
\`\`\`

$$
\\int_0^1 x\\,dx
$$

| a | b |
| - | - |
| 1 | 2 |

- [x] task

[^1]: Note.
`;

/** Renders a fixed document, and returns the parts of the result that come from the processor. */
export async function probeProcessor(
  render: (markdown: string) => Promise<{ html: string }>,
): Promise<ProcessorParts> {
  const { html } = await render(probe);
  const elements = elementsOf(parseHtml(html));
  const code = elements.filter(({ tagName }) => tagName === 'pre');
  // Elements of SVG and MathML depend on where they are, and ids on the text.
  const others = elements.filter((element) => !isProcessorPart(element));
  const ofHtml = others.filter(({ namespaceURI }) => namespaceURI === namespaces.HTML);
  const attributes = others.flatMap(({ tagName, attrs }) =>
    attrs.flatMap((each) => (each.name === 'id' ? [] : [partName(tagName, each)])),
  );
  const classes = code.flatMap(({ attrs }) => attrs.filter(({ name }) => name === 'class'));
  return {
    elements: new Set(elements.filter(isProcessorPart).map(outerHtml)),
    tags: new Set(ofHtml.map(({ tagName }) => tagName)),
    attributes: new Set(attributes),
    codeClasses: new Set(classes.flatMap(({ value }) => value.split(/\s+/))),
  };
}

/** Whether an element is of a kind that only the processor may write. */
export function isProcessorPart({ tagName }: Element): boolean {
  return tagName === 'script' || tagName === 'link' || tagName === 'style';
}

function elementsOf(parent: Parent): Element[] {
  return parent.childNodes.filter(isElement).flatMap((child) => [child, ...elementsOf(child)]);
}
