import { findProcessorParts, type ProcessorParts } from '../html/processor-parts.ts';

/** Renders a fixed document, and returns the parts of the result that come from the processor. */
export async function probeProcessor(
  render: (markdown: string, name: string) => Promise<{ html: string }>,
): Promise<ProcessorParts> {
  const { html } = await render(probe, probeName);
  return findProcessorParts(html);
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
