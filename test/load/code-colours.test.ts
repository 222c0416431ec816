import { setTimeout } from 'node:timers/promises';
import { unified } from '@astrojs/markdown-remark';
import { afterEach, expect, it, vi } from 'vitest';
import { useSite } from '../helpers/use-site.ts';

const line = `const list = [${"{ name: 'Tides', at: 12 }, ".repeat(20)}];`;
const site = useSite({
  articles: () => [
    { id: 1, title: 'Code', content: `\`\`\`js\n${line}\n\`\`\``, cover_image: null },
    { id: 2, title: 'Text', content: 'No code.', cover_image: null },
  ],
});

afterEach(() => vi.restoreAllMocks());

it('code is coloured to its end when the machine pauses in the middle of a line', async () => {
  const quiet = await site.load();
  const html = quiet.entries.get('1')?.rendered?.html;
  expect(html?.match(/<span style/g)?.length).toBeGreaterThan(50);

  const { now } = Date;
  let pause = 0;
  const rendered: string[] = [];
  const busy = await site.load(
    {},
    {
      root: `${site.root}-busy`,
      adapt: (context) => ({
        ...context,
        async renderMarkdown(markdown, options) {
          rendered.push(markdown);
          if (pause === 0 && markdown.includes('list'))
            vi.spyOn(Date, 'now').mockImplementation(() => {
              pause += 50;
              return now() + Math.min(pause, 1_000);
            });
          return context.renderMarkdown(markdown, options);
        },
      }),
    },
  );
  expect(busy.entries.get('1')?.rendered?.html).toBe(html);
  expect(pause).toBeGreaterThan(1_000);
  expect(rendered.filter((text) => text === 'No code.')).toHaveLength(1);
});

it('an article is rendered once with Markdown plugins, which may wait, such as for a diagram', async () => {
  const start = Date.now();
  let waited = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => start + waited);
  let rendered = 0;
  const wait = () => async (tree: { children: { type: string }[] }) => {
    if (!tree.children.some(({ type }) => type === 'code')) return;
    rendered += 1;
    await setTimeout(10);
    waited += 600;
  };
  const processor = unified({ remarkPlugins: [wait] });
  const { failure, entries } = await site.load({}, { markdown: { processor } });
  expect(failure).toBeUndefined();
  expect(entries.get('1')?.rendered?.html).toContain('<pre');
  // Once to see what the processor writes.
  expect(rendered).toBe(2);
});
