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

// Each load that renders an article renders this, too. The grammar of Lua loads in 10 ms, that of JavaScript in 60 ms.
const probe = `## Heading

Text with $x^2$ and a note[^1].

\`\`\`lua title="file.lua" {1}
local x = f('a', 1) -- b
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

/** No slug of an article begins with an underscore. */
const probeName = '_probe';

/** Renders a fixed document, and returns the parts of the result that come from the processor. */
export async function probeProcessor(
  render: (markdown: string, name: string) => Promise<{ html: string }>,
): Promise<ProcessorParts> {
  const { html } = await render(probe, probeName);
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
