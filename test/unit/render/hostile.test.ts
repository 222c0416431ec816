import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArticles } from '../../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../../fixtures/service.ts';
import { articlesLoader } from '../../../src/content/loader.ts';
import { renderMarkdown as renderLive } from '../../../src/live/live-markdown.ts';
import { excessOf, limits } from '../../../src/render/limits.ts';
import { type RenderOptions, renderArticle } from '../../../src/render/render-article.ts';
import { createLoaderContext, type TestLoaderContext } from '../../helpers/loader-context.ts';

const many = 100_000;
const megabyte = 1_000_000;
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

const tooLong = 'it has paragraphs too long to be rendered; blank lines would divide them';
const tooMany = `its Markdown has more than ${limits.lines} lines`;
const tooDeep = `its Markdown has quotes or lists nested more than ${limits.levels} levels deep`;
const hugeTable = `it has a table of more than ${limits.cells} cells`;

const refused: [name: string, content: string, reason: string][] = [
  ['8 MB of paragraphs', 'Words of plain text.\n\n'.repeat((8 * megabyte) / 22), tooMany],
  ['8 MB of words', 'word '.repeat((8 * megabyte) / 5), 'its Markdown has more than 400000 words'],
  ['8 MB of blank lines', `a${'\n'.repeat(8 * megabyte)}b`, tooMany],
  ['nested quotes', `${'>'.repeat(many)}x`, tooDeep],
  ['nested lists on a line', `${'- '.repeat(many)}x`, tooDeep],
  ['nested numbers on a line', `${'1. '.repeat(many)}x`, tooDeep],
  ['nested lists on lines', lines(1000, (index) => `${'  '.repeat(index)}- x`), tooDeep],
  ['quotes in lists', `${'> - '.repeat(many)}x`, tooDeep],
  [
    'lists of nested lists',
    lines(5000, () => `${'- '.repeat(49)}x`),
    'its Markdown has more than 30000 quotes and list items',
  ],
  ['open brackets', '['.repeat(many), tooLong],
  ['nested brackets', '['.repeat(many) + ']'.repeat(many), tooLong],
  ['nested links', `${'['.repeat(many)}x${'](y)'.repeat(many)}`, tooLong],
  ['nested images', `${'!['.repeat(many)}x${'](y)'.repeat(many)}`, tooLong],
  ['open links', '[a]('.repeat(many), tooLong],
  ['open emphasis', '*a _b '.repeat(many), tooLong],
  ['nested emphasis', `${'*'.repeat(many)}x${'*'.repeat(many)}`, tooLong],
  ['runs of backticks', lines(2000, (index) => `a${'`'.repeat(index)}`), tooLong],
  ['open comments', 'a<!--'.repeat(many), tooLong],
  ['quotation marks', `"'`.repeat(many), tooLong],
  ['quotation marks in a list', `- a\n${lines(15_000, () => '    - "It\'s" "it"')}`, tooLong],
  [
    'quotation marks after a table',
    `|a|\n|-|\n---\n${lines(15_000, () => '"It\'s" "it" | "so"')}`,
    tooLong,
  ],
  ['references to one definition', `[a]: /x\n\n${'[a] '.repeat(many)}`, tooLong],
  ['footnotes', lines(many, (index) => `a[^${index}]\n\n[^${index}]: b\n`), tooMany],
  ['definitions', lines(many, (index) => `[a${index}]: /x`), tooMany],
  ['a long table', `|a|\n|-|\n${'|1|\n'.repeat(many)}`, tooMany],
  [
    'a wide table of short rows',
    `${'|a'.repeat(5000)}|\n${'|-'.repeat(5000)}|\n${'|\n'.repeat(5000)}`,
    hugeTable,
  ],
  [
    'a table below a line of text',
    `a\n${'|a'.repeat(5000)}|\n${'|-'.repeat(5000)}|\n${'|\n'.repeat(5000)}`,
    hugeTable,
  ],
  [
    '8 MB of code',
    `\`\`\`js\n${'const x = "a"; '.repeat(megabyte / 2)}\n\`\`\``,
    'its code blocks hold more than 1000000 characters',
  ],
  ['nested elements', '<div>'.repeat(many), 'its Markdown is nested too deeply to be rendered'],
];

const rendered: [name: string, content: string][] = [
  ['a line of 1 MB', 'word '.repeat(megabyte / 5)],
  ['a word of 8 MB', 'x'.repeat(8 * megabyte)],
  ['8 MB of spaces', `a${' '.repeat(8 * megabyte)}b`],
  ['an image of 4 MB within the text', `![a](data:image/png;base64,${'A'.repeat(4 * megabyte)})`],
  ['1 MB without a space', '漢字。'.repeat(megabyte / 9)],
  ['thousands of unknown languages', lines(3000, (index) => `\`\`\`lang${index}\nx\n\`\`\`\n`)],
  [
    'a table of HTML',
    `<table>\n${lines(5000, () => '<tr><td class="a">It\'s</td><td>b</td></tr>')}\n</table>`,
  ],
  ['a table of links', `|a|b|\n|-|-|\n${lines(3000, (index) => `|[It's](/a/${index})|*b*|`)}`],
  [
    'a list of links',
    lines(5000, (index) => `- [It's "a" link](https://a.example/${index}), *read* it`),
  ],
  ['paragraphs of quotations', lines(3000, () => `“It's", he said, "*so*" -- it's...\n`.repeat(2))],
  ['lines of dashes', lines(100, () => `${'- '.repeat(60)}\n\n${'text '.repeat(30)}\n`)],
];

const spaces = ' '.repeat(8 * megabyte);
const blank: [name: string, content: string][] = [
  ['before a cell', `a|b\n${spaces}x|`],
  ['after a delimiter', `a|b\n-|${spaces}x`],
  ['between delimiters', `a|b\n-${spaces}|${spaces}-\nx|y`],
];

let service: FixtureService;
let root: string;
let context: TestLoaderContext;

beforeAll(async () => {
  service = await startService({ articles: [] });
  root = await mkdtemp(join(tmpdir(), 'hostile-'));
  context = await createLoaderContext({ root });
});
afterAll(async () => {
  await service.close();
  await rm(root, { recursive: true });
});

const renderers = {
  Sätteri: (markdown: string) => context.renderMarkdown(markdown),
  live: renderLive,
} satisfies Record<string, RenderOptions['render']>;

function project(content: string, render: RenderOptions['render']) {
  const text = { id: '1', title: 'T', content, extra: {} };
  return renderArticle(text, { render, base: new URL(service.url), sanitize: true });
}

describe.each(Object.entries(renderers))('%s', (_, render) => {
  it.each(refused)('is not asked for more than it can do: %s', async (_, content, reason) => {
    await expect(project(content, render)).rejects.toThrow(reason);
  });

  it.each(rendered)('renders much of what is simple: %s', async (_, content) => {
    const { html } = await project(content, render);
    expect(html.length).toBeGreaterThan(content.length / 10);
  });

  it.each(blank)('renders 8 MB of nothing %s', async (_, content) => {
    const { html } = await project(content, render);
    expect(html).toContain('x');
  });
});

it('names the article that cannot be rendered, and the load goes no further', async () => {
  const articles = [
    { id: 'calm', title: 'A', content: 'Text.', cover_image: null },
    { id: 'wild', title: 'B', content: `"'`.repeat(many), cover_image: null },
  ];
  service.replace(articles);
  const options = { baseUrl: service.url, apiKey: service.apiKey };
  await expect(articlesLoader(options).load(context)).rejects.toMatchObject({
    name: 'InvalidArticlesError',
    problems: [{ id: 'wild', field: 'content', reason: tooLong }],
  });
  expect(context.store.keys()).toEqual([]);
});

it('lets through every article that people wrote', () => {
  for (const { content } of readArticles()) {
    expect(excessOf(String(content ?? ''))).toBeUndefined();
  }
});
