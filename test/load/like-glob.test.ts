import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unified } from '@astrojs/markdown-remark';
import { satteri } from '@astrojs/markdown-satteri';
import { transformerMetaHighlight, transformerNotationDiff } from '@shikijs/transformers';
import type { AstroUserConfig, ShikiConfig } from 'astro';
import { glob } from 'astro/loaders';
import fc from 'fast-check';
import { parseFragment, serialize } from 'parse5';
import rehypeAutolinkHeadings from 'rehype-autolink-headings';
import rehypeExternalLinks from 'rehype-external-links';
import rehypeKatex from 'rehype-katex';
import rehypeSlug from 'rehype-slug';
import remarkDirective from 'remark-directive';
import remarkMath from 'remark-math';
import { expect, it } from 'vitest';
import { liveArticlesLoader } from '../../src/live/index.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import { runs } from '../helpers/runs.ts';
import { speedUp } from '../helpers/time.ts';
import { allowRemoval, key, useSite } from '../helpers/use-site.ts';

// An oracle that has none of this package's code: Astro's own loader of the same articles as files.

const site = useSite(allowRemoval);

// Documented differences do not occur here: media are absolute, no heading repeats a title, and no HTML is removed.
const blocks = fc.constantFrom(
  '## A section',
  '### A section',
  'Text with *emphasis*, **strong**, ~~removed~~, `code`, "quotes" -- and dashes...',
  'A [link](https://other.example/a?b=1&c), https://plain.example, <me@mail.example> and [one](/on-this-site).',
  'A note[^1] and another[^long].\n\n[^1]: The first.\n\n[^long]: The second.\n\n    With two paragraphs.',
  '- one\n- two\n  1. nested\n\n     with a paragraph\n- [x] done\n- [ ] open',
  '3. three\n4. four',
  '> A quote\n> > in a quote\n\n> another',
  '| a | b |\n| :- | -: |\n| 1 | `x \\| y` |\n| 2 | **3** |',
  '```js {1}\nconst x = [1 + 1]; // <b>\nconst y = 2; // [!code ++]\n```',
  '```\nplain <text>\n```',
  '~~~python\ndef f(x):\n    return x\n~~~',
  '    indented code',
  'Mathematics $a^2 + b_1$ in text.\n\n$$\n\\frac{1}{2} < x\n$$',
  '![A picture](https://media.example/a%20b.png "Its title")',
  'Text with <kbd>Ctrl</kbd>, H<sub>2</sub>O and <mark>this</mark>.',
  '<details>\n<summary>More</summary>\n\nHidden **text**.\n\n</details>',
  'A line\\\nand the next  \nand the last &copy; &#x263A; \u4f60\u597d \u{1f30a}',
  'Setext\n------',
  '---',
);
// Astro's loader trims a file, which would make indented code at its start a paragraph.
const content = fc
  .array(blocks, { minLength: 1, maxLength: 12 })
  .map((all) => ['Start.', ...all].join('\n\n'));
const articles = fc.array(content, { minLength: 1, maxLength: 4 });

const shikiConfig = fc.constantFrom<Partial<ShikiConfig>>(
  { theme: 'github-light' },
  { theme: 'nord', wrap: true },
  { themes: { light: 'github-light', dark: 'github-dark' } },
  { transformers: [transformerNotationDiff(), transformerMetaHighlight()] },
);
const ofSatteri = fc
  .record({
    math: fc.boolean(),
    directive: fc.boolean(),
    headingAttributes: fc.boolean(),
    superscript: fc.boolean(),
    definitionList: fc.boolean(),
    smartPunctuation: fc.boolean(),
  })
  .map((features) => satteri({ features }));
const ofUnified = fc
  .record({
    remarkPlugins: fc.subarray([remarkMath, remarkDirective]),
    rehypePlugins: fc.subarray([
      rehypeKatex,
      rehypeSlug,
      [rehypeAutolinkHeadings, { behavior: 'append' }],
      [rehypeExternalLinks, { rel: ['nofollow'], target: '_blank' }],
    ] as const),
  })
  .map((plugins) => unified(plugins as Parameters<typeof unified>[0]));
const markdown = fc.record({
  processor: fc.oneof(ofSatteri, ofUnified),
  shikiConfig,
  syntaxHighlight: fc.constantFrom('shiki' as const, 'prism' as const, false as const),
});

/** Loads the same articles as files, with Astro's own loader. */
async function loadFiles(texts: readonly string[], settings: AstroUserConfig['markdown']) {
  const base = join(site.root, 'files');
  await mkdir(base, { recursive: true });
  for (const [id, text] of texts.entries()) {
    await writeFile(join(base, `${id}.md`), `---\ntitle: Article ${id}\n---\n\n${text}`);
  }
  const context = await createLoaderContext({
    root: site.root,
    markdown: settings,
    inMemory: true,
    readsFiles: true,
  });
  const pattern = texts.map((_, id) => `${id}.md`);
  await glob({ base, pattern }).load({
    ...context,
    parseData: async ({ data }) => data,
  });
  return new Map(context.store.values().map((entry) => [entry.id, entry]));
}

/** Writes HTML in one form, so that only its meaning is compared. */
function normal(html: string | undefined): string {
  return serialize(parseFragment(html ?? '')).trim();
}

it('gives any article the HTML and headings of glob(), also on live pages, with any settings', async () => {
  speedUp(1);
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(articles, markdown, async (texts, settings) => {
      site.service.replace(
        texts.map((text, id) => ({ id, title: `Article ${id}`, content: text, cover_image: null })),
      );
      const options = { markdown: settings, inMemory: true };
      const { entries, failure } = await site.load({ rows: 'whole' }, options);
      expect(failure).toBeUndefined();
      const files = await loadFiles(texts, settings);
      const service = { baseUrl: site.service.url, apiKey: key };
      const { loadCollection } = liveArticlesLoader({ ...service, render: settings });
      const live = await loadCollection({ collection: 'articles' });
      if ('error' in live) throw live.error;
      for (const [id, text] of texts.entries()) {
        const [own, file] = [entries.get(String(id)), files.get(String(id))];
        expect(normal(own?.rendered?.html), text).toBe(normal(file?.rendered?.html));
        expect(own?.rendered?.metadata?.headings, text).toEqual(file?.rendered?.metadata?.headings);
        const page = live.entries.find((entry) => entry.id === String(id));
        expect(page?.rendered.html, text).toBe(own?.rendered?.html);
        expect(page?.rendered.metadata.headings).toEqual(own?.rendered?.metadata?.headings);
        compared += 1;
      }
    }),
    runs(12),
  );
  expect(compared).toBeGreaterThan(runs(12).numRuns);
});
