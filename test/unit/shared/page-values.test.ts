import { expect, it } from 'vitest';
import {
  linkToPage,
  type PageSettings,
  pageUrl,
  readDate,
  requireSite,
} from '../../../src/shared/page-values.ts';

it.each([undefined, null, ''])('returns no date for %j', (given) => {
  expect(readDate(given, '`date`')).toBeUndefined();
});

it('returns the date of a Date and of a text', () => {
  const date = new Date('2026-03-02T12:00:00Z');
  expect(readDate(date, '`date`')).toEqual(date);
  for (const text of ['2026-03-02T13:00:00+01:00', '2026-03-02T12:00:00', '1772452800'])
    expect(readDate(text, '`date`')).toEqual(date);
});

it.each(['yesterday', '2026-13-01', '\u202e', new Date(Number.NaN)])(
  'refuses %s, and names where it was passed',
  (given) => {
    expect(() => readDate(given, '`date` of feedItems()')).toThrow(
      /`date` of feedItems\(\) received an invalid date: "[\w\\{} -]+"/,
    );
  },
);

const site = new URL('https://www.example.com');

it('returns the URL of the site, or says who needs it', () => {
  for (const given of [site, site.href]) expect(requireSite('<X>', given)).toEqual(site);
  for (const none of [undefined, ''])
    expect(() => requireSite('<X>', none)).toThrow('<X> needs `site` in astro.config.');
});

const settings = (
  format: PageSettings['build']['format'],
  trailingSlash: PageSettings['trailingSlash'],
) => ({ trailingSlash, build: { format } });

it.each([
  ['/docs/a/', settings('directory', 'ignore'), '/docs/a/'],
  ['/docs/a', settings('directory', 'ignore'), '/docs/a/'],
  ['/docs/a/index.html', settings('preserve', 'ignore'), '/docs/a'],
  ['/index.html', settings('file', 'never'), '/'],
  ['/a.html-guide', settings('file', 'never'), '/a.html-guide'],
  ['/v1.0/', settings('directory', 'always'), '/v1.0/'],
  ['https://www.example.com/a?b#c', settings('directory', 'always'), '/a/?b#c'],
])('writes the URL of the page %s with %j as %s', (page, given, expected) => {
  expect(pageUrl(page, site, given).href).toBe(`https://www.example.com${expected}`);
});

it.each(['https://de.example.com/a.html', 'http://www.example.com/a.html'])(
  'leaves the URL of another site unchanged: %s',
  (other) => expect(pageUrl(other, site, settings('file', 'always')).href).toBe(other),
);

interface LinkSettings extends PageSettings {
  base: string;
}

const folders: LinkSettings = { base: '/', ...settings('directory', 'ignore') };
const bare: LinkSettings = { base: '/', ...settings('directory', 'never') };

it.each<[LinkSettings, string, string]>([
  [folders, 'articles/a', '/articles/a/'],
  [folders, '', '/'],
  [{ ...folders, base: '/repo' }, '', '/repo/'],
  [{ ...folders, base: '/repo/' }, '/articles/a/', '/repo/articles/a/'],
  [bare, '/articles/a/', '/articles/a'],
  [{ ...bare, base: '/repo' }, '', '/repo'],
  [{ base: '/', ...settings('file', 'ignore') }, 'articles/a', '/articles/a'],
  [{ base: '/', ...settings('file', 'always') }, 'a', '/a/'],
  [folders, 'search?q=a/b#top', '/search/?q=a/b#top'],
  [folders, '?q=1', '/?q=1'],
  [bare, 'v1.0/', '/v1.0'],
  [folders, '//other.example/a', '/other.example/a/'],
])('with %j, the link to the page %j is %s', (given, path, expected) => {
  expect(linkToPage(path, given)).toBe(expected);
});
