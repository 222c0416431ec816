import { expect, test } from 'vitest';
import { siteAt } from '../../../src/content/site-state.ts';
import { openArticles } from '../../../src/integration/dev/open-articles.ts';
import { shownSlugs } from './shown-slugs.ts';

test('the articles of a page are those whose slug is a segment of its path', () => {
  const root = new URL('file:///a-site-with-open-articles/');
  for (const collection of ['blog', 'news']) {
    siteAt(root).slugs.set(collection, shownSlugs({ 1: 'tides-1', 2: 'gezeiten-öl-2' }));
  }
  const found = (path: string) =>
    openArticles(root, path).map(({ collection, id }) => `${collection} ${id}`);
  expect(found('/base/tides-1/comments/')).toEqual(['blog 1', 'news 1']);
  expect(found('/gezeiten-%C3%B6l-2')).toEqual(['blog 2', 'news 2']);
  expect(found('/tides-11/')).toEqual([]);
  const ofArticle = (id: string) => `https://cms.example/${id}`;
  siteAt(root).editUrls.set('news', { ofArticle, ofEntry: ofArticle });
  expect(openArticles(root, '/tides-1/').map(({ editUrl }) => editUrl)).toEqual([
    undefined,
    'https://cms.example/1',
  ]);
  expect(found('/1/%E0%A4%A')).toEqual([]);
});
