import { expect, test } from 'vitest';
import { loadImages } from '../../../src/load/images.ts';
import type { Load } from '../../../src/load/load.ts';
import type { IndexedArticle } from '../../../src/mirror/formats.ts';

test('an image of thousands of articles that the mirror lacks is one short notice', async () => {
  const versions = Array.from({ length: 5_000 }, (_, at) => {
    const article = { id: `id-${at}`, cover: 'https://a.example/x.png?X-Amz-Signature=s' };
    return { article: article as IndexedArticle, transformed: article as IndexedArticle };
  });
  const load = {
    mirror: { index: { images: new Map() } },
    options: { images: { covers: 'local', body: 'remote' } },
    before: new Map(),
    idsWithOldUrls: new Set(),
  };
  const { images, notices } = await loadImages(versions, load as unknown as Load);
  expect(images).toEqual(new Map());
  expect(notices).toHaveLength(1);
  expect(notices[0]?.text).toBe(
    'Cover https://a.example/x.png of articles id-0, id-1, id-2, id-3, id-4 and 4995 more: ' +
      'the mirror does not have it. No cover is shown. Correct it in the service.',
  );
});
