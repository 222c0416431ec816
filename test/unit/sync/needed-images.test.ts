import { expect, test } from 'vitest';
import type { ResolvedOptions } from '../../../src/options/options.ts';
import { findImages } from '../../../src/sync/needed-images.ts';

test('an image of several articles has changed if one of them has', () => {
  const options = { images: { covers: 'local', body: 'local' } } as ResolvedOptions;
  const indexed = (id: string, cover: string | null, images: string[]) => ({
    ...{ id, title: id, digest: 'new', object: 'o', cover, draft: false },
    rendering: { hash: 'h', images, dropped: [] },
  });
  const articles = [indexed('1', 'x', []), indexed('2', null, ['x', 'y']), indexed('3', 'x', [])];
  const versions = articles.map((article) => ({ article, shown: article }));
  for (const changed of ['1', '2', '3', undefined]) {
    const known = articles.filter(({ id }) => id !== changed);
    const before = new Map(known.map((each) => [each.id, each]));
    const x = { url: 'x', changed: changed !== undefined, isCover: true };
    const y = { url: 'y', changed: changed === '2', isCover: false };
    expect([...findImages(versions, { options, before }).values()]).toEqual([
      { ...x, articles: new Set(['1', '2', '3']) },
      { ...y, articles: new Set(['2']) },
    ]);
  }
});
