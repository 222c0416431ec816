import { inspect } from 'node:util';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { beforeEach, expect, test, vi } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import { articleSchema } from '../../../src/content/schema.ts';
import { liveArticlesLoader } from '../../../src/live/index.ts';
import type { Transform } from '../../../src/options/options.ts';
import { speedUp } from '../../helpers/time.ts';
import { key, useSite } from '../../helpers/use-site.ts';

const collection = 'articles';
const site = useSite({ articles: () => makeArticles(5, { words: [5, 20] }) });

// In the faster time of other tests, the short time limit of a live page would expire.
beforeEach(() => speedUp(1));

const liveLoader = (transform?: Transform) =>
  liveArticlesLoader({ baseUrl: site.service.url, apiKey: key, transform });

test('an article that `transform` leaves out is missing, and in no list', async () => {
  const loader = liveLoader((article) => (article.id === '2' ? undefined : article));
  expect(await loader.loadCollection({ collection })).toMatchObject({
    entries: [{ id: '5' }, { id: '4' }, { id: '3' }, { id: '1' }],
  });
  expect(await loader.loadEntry({ filter: { id: '2' }, collection })).toBeUndefined();
});

test('an article is a draft, and has a cover, as `transform` returns it', async () => {
  site.service.change(1, { title: '' });
  const transform: Transform = (article) => ({
    ...article,
    title: article.id === '1' ? 'Named' : '',
    cover_image: 'https://cdn.example/b.jpg',
  });
  const result = await liveLoader(transform).loadCollection({ collection });
  const data = { title: 'Named', cover_image: 'https://cdn.example/b.jpg' };
  expect(result).toMatchObject({ entries: [{ id: '1', data }] });
});

test('an error of `transform` is an error of that article, without the key', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const loader = liveLoader((article) => {
    if (article.id !== '2') return article;
    throw Object.assign(new TypeError('no such field'), { input: key, cause: new Error(key) });
  });
  const message = expect.stringContaining('article "2": `transform` failed: no such field');
  const failed = await loader.loadEntry({ filter: { id: '2' }, collection });
  expect(failed).toMatchObject({ error: { name: 'ArticlesInvalidError', message } });
  expect(inspect(failed, { depth: null })).not.toContain(key);
  const { entries } = { entries: [], ...(await loader.loadCollection({ collection })) };
  expect(entries).toHaveLength(4);
});

test.each<[string, Transform]>([
  ['nothing', (article) => article],
  ['the title', (article) => ({ ...article, title: `${article.title} and more` })],
  ['the text', (article) => ({ ...article, content: `Before it. ${article.content}` })],
  ['the slug', (article) => ({ ...article, slug: `own-${article.id}` })],
  ['the description', (article) => ({ ...article, description: `About ${article.id}` })],
  ['fields', ({ author, ...article }) => ({ ...article, words: 1, position: 1, editor: author })],
])(
  'a live page has the same data as a built one if `transform` changes %s',
  async (_, transform) => {
    site.service.change(2, { author: 'Ada' });
    const { entries } = await site.load({ transform });
    for (const id of ['1', '2']) {
      const live = await liveLoader(transform).loadEntry({ filter: { id }, collection });
      const { title, slug, description, words } = entries.get(id)?.data ?? {};
      expect(live, id).toMatchObject({ data: { title, slug, description, words } });
    }
  },
);

test.each(['full', 'summary'] as const)(
  'a live list has the fields that only rows have, like a build (%s rows)',
  async (rows) => {
    site.service.options.rows = rows;
    for (const id of [1, 2]) site.service.change(id, { editor: 'of the article' });
    const addFields = (row: { id: number }) => ({
      ...{ editor: 'of the row', ...row },
      ...{ section: `section-${row.id}`, slug: `own-${row.id}` },
    });
    const rewrite = (page: unknown) => ({ results: Object(page).results.map(addFields) });
    site.strike('list', { kind: 'rewrite', rewrite });
    const schema = (context: SchemaContext) => articleSchema(context).catchall(z.unknown());
    const { entries } = await site.load({}, { schema });
    const live = await liveLoader().loadCollection({ collection });
    if ('error' in live) throw live.error;
    const fieldsOf = (data: unknown) => {
      const { slug, section, editor } = Object(data);
      return { slug, section, editor };
    };
    expect(fieldsOf(entries.get('4')?.data)).toMatchObject({ slug: 'own-4', section: 'section-4' });
    expect(live.entries).toHaveLength(5);
    for (const { id, data } of live.entries)
      expect(fieldsOf(data), id).toEqual(fieldsOf(entries.get(id)?.data));
  },
);
