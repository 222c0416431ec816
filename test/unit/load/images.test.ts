import { expect, test } from 'vitest';
import { loadImages } from '../../../src/load/images.ts';
import type { Load } from '../../../src/load/load.ts';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';
import { sayFindings } from '../../../src/report/say.ts';

test('an image of thousands of articles that the mirror lacks is one short notice', async () => {
  const versions = Array.from({ length: 5_000 }, (_, at) => {
    const article = { id: `id-${at}`, cover: 'https://a.example/x.png?X-Amz-Signature=s' };
    return { article: article as IndexedArticle, transformed: article as IndexedArticle };
  });
  const load = {
    mirror: { index: { images: new Map() } },
    options: { baseUrl: 'https://service.example/', images: { covers: 'local', body: 'remote' } },
    before: new Map(),
    idsWithOldUrls: new Set(),
    renderer: { isReusable: true },
  };
  const { images, noticesOf } = await loadImages(versions, load as unknown as Load);
  const notices = noticesOf(versions);
  expect(images).toEqual(new Map());
  expect(notices).toHaveLength(1);
  const [{ text = '' } = {}] = sayFindings(notices);
  expect(text).toContain('Cover https://a.example/x.png of articles "id-0", ');
  expect(text).toContain(' and 4995 more: the mirror does not have it. No cover is shown.');
});

type Use = 'cover' | 'text';

test.each<[uses: Use[], isCover: boolean]>([
  [['cover'], true],
  [['text'], false],
  [['text', 'text'], false],
  [['cover', 'text'], true],
  [['text', 'cover'], true],
  [['text', 'cover', 'text'], true],
])('names an image that articles use as %j as a cover if one does', async (uses, isCover) => {
  const url = 'https://a.example/x.png';
  const versions = uses.map((use, at) => {
    const renderings = [{ name: 'x', dropped: [], images: use === 'text' ? [url] : [] }];
    const article = { id: `${at}`, cover: use === 'cover' ? url : null, renderings };
    return { article: article as unknown as IndexedArticle, transformed: article as never };
  });
  const load = {
    mirror: { index: { images: new Map() } },
    options: { baseUrl: 'https://service.example/', images: { covers: 'local', body: 'local' } },
    before: new Map(),
    idsWithOldUrls: new Set(),
    renderer: { isReusable: true },
  };
  const { noticesOf } = await loadImages(versions, load as unknown as Load);
  const ids = versions.map(({ article }) => article.id);
  expect(noticesOf(versions)).toMatchObject([
    { code: 'image', ids, urls: [url], data: { isCover, host: 'a.example', kept: false } },
  ]);
});
