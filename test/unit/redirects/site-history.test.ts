import { expect, test, vi } from 'vitest';
import { encodeHistory, type SiteHistory } from '../../../src/redirects/published-history.ts';
import { fetchSiteHistory, homeOf, publishedSlugs } from '../../../src/redirects/site-history.ts';

const home = new URL('https://site.page/docs/');
const articles = new Map([['a1', ['old-a1']]]);
const history: SiteHistory = new Map([['articles', articles]]);

async function fetchWith(mode: 'required' | 'best-effort', response: Response) {
  const logger = { info: vi.fn(), warn: vi.fn() };
  const fetch = vi.fn(async (_: string) => response.clone());
  const found = await fetchSiteHistory(home, { mode, logger, fetch });
  expect(fetch.mock.calls[0]?.[0]).toBe(`${home}_articles/addresses.json`);
  return { found, info: logger.info.mock.calls.flat(), warnings: logger.warn.mock.calls.flat() };
}

test.each([
  ['https://site.page', '/docs', 'https://site.page/docs'],
  ['https://my.example.page', '/', 'https://my.example.page/'],
  ['https://site.example', '/', undefined],
  ['http://localhost:4321', '/', undefined],
  [undefined, '/', undefined],
])('the site %s with the base %s is published at %s', (site, base, expected) => {
  expect(homeOf({ site, base })?.href).toBe(expected);
});

test('the history of the site is returned without a message', async () => {
  const published = await fetchWith('required', new Response(encodeHistory(history)));
  expect(published).toEqual({ found: history, info: [], warnings: [] });
});

test('a site without a history starts one', async () => {
  const { found, info, warnings } = await fetchWith('required', new Response('', { status: 404 }));
  expect(found).toEqual(new Map());
  expect(info).toEqual([
    'https://site.page/docs/ has no history of slugs, so this build starts one.',
  ]);
  expect(warnings).toEqual([]);
});

test('a history that cannot be read fails the build, or is a warning with best effort', async () => {
  const broken = new Response('{}');
  await expect(fetchWith('required', broken)).rejects.toMatchObject({
    code: 'history-unavailable',
    message: expect.stringContaining('the file has an unknown format'),
  });
  const { found, warnings } = await fetchWith('best-effort', broken);
  expect(found).toEqual(new Map());
  expect(warnings).toEqual([expect.stringContaining('no redirects from now on')]);
});

test('a collection has its own slugs, and a new one those of collections that are gone', () => {
  const news = new Map([['n1', ['old-n1']]]);
  const both: SiteHistory = new Map([...history, ['news', news]]);
  const ids = ['a1', 'n1'];
  const slugsOf = (name: string, ...names: string[]) =>
    publishedSlugs(both, name, { ids, collections: new Set(names) }).get('a1');
  expect(slugsOf('articles', 'articles')).toEqual(['old-a1']);
  expect(slugsOf('posts', 'posts', 'news')).toEqual(['old-a1']);
  expect(slugsOf('news', 'articles', 'news')).toEqual([]);
});

test('of the published slugs, a collection gets those of articles that it has or may have', () => {
  const two: SiteHistory = new Map([
    [
      'articles',
      new Map([
        ['1', ['a']],
        ['2', ['b']],
        ['3', ['c']],
      ]),
    ],
  ]);
  const mayExist = (id: string) => id === '3';
  const collections = new Set(['articles']);
  const slugs = publishedSlugs(two, 'articles', { ids: ['1'], mayExist, collections });
  expect([...slugs]).toEqual([
    ['1', ['a']],
    ['3', ['c']],
  ]);
});
