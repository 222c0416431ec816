import { expect, test } from 'vitest';
import type { Version } from '../../../src/load/article-version.ts';
import { noticesOfArticles } from '../../../src/report/article-notices.ts';
import { attribute, versionWith } from '../../helpers/rendered-version.ts';

const images = { covers: 'local', body: 'remote', maxBytes: 1 } as const;
const options = { bodies: 'mirror', images, sanitize: true } as const;
const textsOf = (versions: readonly Version[], more = {}) =>
  noticesOfArticles(versions, { ...options, ...more }).map(({ text }) => text);

test('articles with nothing to say have no notice', () => {
  expect(textsOf([versionWith('1', [])])).toEqual([]);
});

test('what was dropped is one notice of all articles', () => {
  const versions = ['1', '2'].map((id) => versionWith(id, [attribute('border')]));
  expect(textsOf(versions)).toEqual([expect.stringContaining('was dropped from 2 articles')]);
});

test('front matter that cannot be read is named, also of an article that is left out', () => {
  const { article } = versionWith('1', []);
  const brokenFrontMatter = 'a tab';
  const renderings = [{ name: 'k-h', images: [], dropped: [], brokenFrontMatter }];
  const versions: Version[] = [
    { article: { ...article, renderings }, transformed: article },
    { article, leftOut: 'draft', brokenFrontMatter },
  ];
  const notice = {
    ...{ kind: 'field', ids: ['1'], field: 'content' },
    text: 'its front matter is not shown and has no fields, because of a tab. Correct it in the service',
  };
  expect(noticesOfArticles(versions, options)).toEqual([notice, notice]);
});

test('front matter that an older rendering could not read is not named', () => {
  const { article } = versionWith('1', []);
  const older = { name: 'k-h', images: [], dropped: [], brokenFrontMatter: 'a tab' };
  const renderings = [...article.renderings, older];
  expect(textsOf([{ article: { ...article, renderings }, transformed: article }])).toEqual([]);
});

test.each([
  [2, []],
  [2.1, ['Rendering article "1" took 2.1 s of processor time.']],
])('a rendering that takes %d s of processor time is reported: %j', (seconds, texts) => {
  const found = textsOf([{ ...versionWith('1', []), seconds }]);
  expect(found).toEqual(texts.map((text) => expect.stringContaining(text)));
});

test('articles that look like HTML are reported if most of those that were rendered do', () => {
  const text = { title: 't' } as never;
  const plain = { ...versionWith('1', []), text };
  const html = { ...versionWith('2', []), text, likeHtml: true };
  expect(textsOf([plain, html])).toEqual([]);
  const stored = versionWith('3', []);
  const notice = expect.stringMatching(/HTML \("2".*Set `format: 'html'`\.$/);
  expect(textsOf([plain, html, html])).toEqual([notice]);
  expect(textsOf([html, stored, stored])).toEqual([notice]);
});

test('warns of a collection that is too large for Astro’s store, unless its texts are in the mirror', () => {
  const versions = Array.from({ length: 10_000 }, (_, id) => versionWith(String(id), []));
  expect(textsOf(versions)).toEqual([]);
  expect(textsOf(versions, { bodies: 'store' })).toEqual([
    expect.stringContaining("Set `bodies: 'mirror'`"),
  ]);
  const { article } = versionWith('draft', []);
  const others: Version[] = [...versions.slice(1), { article, leftOut: 'draft' }];
  expect(textsOf(others, { bodies: 'store' })).toEqual([]);
});
