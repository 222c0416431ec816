import { expect, test, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import type { Transform } from '../../src/options/options.ts';
import { key, offline, useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(2, { words: [20, 40] }) });

const broken = '---\ntitle: Notes: 2.0\ninternal_note: secret\n---\n\nThe text.';
const notice =
  'The front matter of article "1" is not shown and has no fields, because of invalid YAML in line 2: ' +
  'bad indentation of a mapping entry.';

const live = async (transform?: Transform) => {
  const { loadEntry } = liveArticlesLoader({ baseUrl: site.service.url, apiKey: key, transform });
  return loadEntry({ filter: { id: '1' }, collection: 'articles' });
};

test.each([
  ['with `transform`', { transform: ((article) => article) satisfies Transform }],
  ['without `transform`', {}],
  ['as HTML', { format: 'html' as const }],
] satisfies [string, object][])(
  'broken front matter is a notice in each load, and is shown nowhere: %s',
  async (_, options) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    site.service.change(1, { content: broken });
    const loads = [{}, {}, { inMemory: true }, offline];
    for (const more of loads) {
      const { entries, log, failure } = await site.load(options, more);
      expect(failure).toBeUndefined();
      expect(log.split(notice)).toHaveLength(2);
      const { data, body, rendered } = entries.get('1') ?? {};
      expect(JSON.stringify([data, body, rendered])).not.toMatch(/secret|2\.0/);
      expect(body).toBe('\nThe text.');
    }
    site.service.change(1, { content: '---\ntitle: "Notes: 2.0"\n---\n\nThe text.' });
    expect((await site.load(options)).log).not.toContain('front matter');
    site.service.change(1, { content: broken });
    expect(JSON.stringify(await live())).not.toMatch(/secret|2\.0/);
    expect(logged).not.toHaveBeenCalled();
  },
);

test('reports broken front matter, also of an article that `transform` leaves out without it', async () => {
  site.service.change(1, { content: broken });
  const transform: Transform = (article, { frontMatter }) =>
    article.id === '2' || 'title' in frontMatter ? article : undefined;
  const { log, entries } = await site.load({ transform });
  expect([...entries.keys()]).toEqual(['2']);
  expect(log).toContain(notice);
  const asDraft: Transform = (article, { frontMatter }) => ({
    ...{ ...article, title: article.id === '1' ? String(frontMatter.title ?? '') : 'Two' },
  });
  expect((await site.load({ transform: asDraft })).log).toContain(notice);
});

test.each([
  ['+++\ntitle = "From TOML"\ninternal_note = "secret"\n+++\n', 'From TOML'],
  ['\n\n---\n# by the export tool\n"title": From YAML\ninternal_note: secret\n---\n', 'From YAML'],
])('the fields of %j are those of builds and of live pages', async (frontMatter, title) => {
  site.service.change(1, { content: `${frontMatter}\nThe text.` });
  const transform: Transform = (article, { frontMatter: fields }) => ({
    ...{ ...article, title: String(fields.title ?? article.title) },
  });
  const { entries } = await site.load({ transform });
  const entry = entries.get('1');
  expect(entry?.data).toMatchObject({ title, description: 'The text.' });
  expect(await live(transform)).toMatchObject({ data: { title, description: 'The text.' } });
  const plain = await site.load();
  for (const shown of [entry, plain.entries.get('1'), await live()])
    expect(JSON.stringify(shown)).not.toContain('secret');
});
