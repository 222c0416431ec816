import { expect, it } from 'vitest';
import {
  type ComparedArticle,
  entryDigest,
  renderingKey,
} from '../../../src/content/entry-digest.ts';
import { dataOf, renderArticle, renderedOf } from '../../../src/render/render-article.ts';

const facts: ComparedArticle = {
  id: '7',
  title: 'T',
  digest: 'd',
  position: 3,
  cover: './a.png',
  images: [],
};
const text = {
  id: '7',
  title: 'T',
  content: '# T\n\nHello *you*',
  extra: { reviewed: true, title: 'not this' },
};
const options = { base: new URL('https://app.example.com/'), sanitize: true };

const render = async (markdown: string) => ({
  html: `<h1 id="t">T</h1><p>${markdown.slice(5)}</p>`,
  metadata: {
    headings: [
      { depth: 1, slug: 't', text: 'T' },
      { depth: 2, slug: 'u', text: 'U' },
    ],
    imagePaths: ['x'],
    frontmatter: {},
  },
});

it('holds what the service gave, and what is made of it', async () => {
  const article = await renderArticle(text, { ...options, render });
  expect(await dataOf(facts, article)).toEqual({
    reviewed: true,
    title: 'T',
    cover_image: './a.png',
    slug: 't-7',
    description: 'Hello *you*',
    words: 2,
    position: 3,
  });
  const { metadata } = renderedOf(article, () => undefined);
  expect(metadata).toMatchObject({ headings: [{ slug: 'u' }], imagePaths: [] });
});

it.each([
  ['', '## From the *text*', 'From the text'],
  ['  ', 'no heading', '7'],
])('titles a draft %j by its first heading, or by its id', async (title, content, shown) => {
  const article = await renderArticle({ ...text, title, content }, { ...options, render });
  expect((await dataOf({ ...facts, title }, article)).title).toBe(shown);
});

it('says so when the Markdown is nested too deeply', async () => {
  const html = '<b>'.repeat(100_000);
  const deep = renderArticle(text, { ...options, render: async () => ({ html }) });
  await expect(deep).rejects.toThrow('nested too deeply');
});

it('has another digest for everything that a page can show', () => {
  const key = '0'.repeat(32);
  const settings = { key, fingerprint: 'f' };
  const digests = [
    entryDigest(facts, settings),
    ...(['id', 'title', 'digest', 'cover'] as const).map((field) =>
      entryDigest({ ...facts, [field]: 'x' }, settings),
    ),
    entryDigest({ ...facts, position: 4 }, settings),
    entryDigest({ ...facts, images: [null] }, settings),
    entryDigest(facts, { ...settings, fingerprint: 'g' }),
    entryDigest(facts, { ...settings, key: '1'.repeat(32) }),
  ];
  expect(new Set(digests).size).toBe(digests.length);
  expect(entryDigest({ ...facts }, settings)).toBe(digests[0]);
  expect(renderingKey(entryDigest(facts, settings))).toBe(key);
});
