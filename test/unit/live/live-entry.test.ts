import { expect, test } from 'vitest';
import type { Article } from '../../../src/client/article.ts';
import { toLiveArticle } from '../../../src/live/live-entry.ts';
import { createLiveClient, liveSchema } from '../../../src/live/live-options.ts';

/** Makes a live entry of an article with these fields. */
async function entryOf(fields: Partial<Article>, options: object = {}) {
  const service = { baseUrl: 'https://a.example/', apiKey: 'a-key-of-tests' };
  const settings = liveSchema.parse({ ...service, ...options });
  const rendered = { title: 'T', description: 'Text.', words: 1, images: [], dropped: [] };
  const renderText = async () => ({ ...rendered, html: ['<p>Text.'], metadata: { headings: [] } });
  const load = { client: createLiveClient(settings), call: {}, collection: 'articles' };
  const plain = { id: '26', title: 'T', content: 'Text.', cover_image: null, extra: {} };
  return toLiveArticle({ ...plain, ...fields }, { ...load, settings, renderText });
}

test.each([
  [null, null],
  ['/media/a.jpg', 'https://a.example/media/a.jpg'],
  ['https://b.example/a.jpg', 'https://b.example/a.jpg'],
  ['http://b.example/a.jpg', null],
  ['data:image/png;base64,AA', null],
])('the cover %j of an article is %j', async (cover_image, expected) => {
  expect((await entryOf({ cover_image }))?.data.cover_image).toBe(expected);
});

test('the slug and the description of the service are used, and otherwise derived', async () => {
  const extra = { slug: 'tides', description: 'How tides work.', tags: ['sea'] };
  expect((await entryOf({ extra }))?.data).toMatchObject(extra);
  expect((await entryOf({}))?.data).toMatchObject({ slug: 't-26', description: 'Text.' });
});

test('a draft is left out, unless drafts are included', async () => {
  expect(await entryOf({ content: ' ' })).toBeUndefined();
  expect((await entryOf({ content: ' ' }, { drafts: 'include' }))?.id).toBe('26');
});
