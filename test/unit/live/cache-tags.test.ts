import { expect, it } from 'vitest';
import { cacheTags, listTags } from '../../../src/live/cache-tags.ts';

it('the tags of a page are of its collection and its article, and those of a list of all lists', () => {
  expect(cacheTags('articles', '26')).toEqual(['articles', 'articles:26']);
  expect(listTags('articles')).toEqual(['articles', 'articles/list']);
});

it.each([
  ['a,b c', 'x/1', 'a%2Cb%20c:x%2F1'],
  ['artikel ü', '日', 'artikel%20%C3%BC:%E6%97%A5'],
  ['a', ':/list', 'a:%3A%2Flist'],
  ['a', 'x'.repeat(200), `a:${'x'.repeat(126)}`],
])('the tag of the article of %j with the id %j is of ASCII, without separators', (...row) => {
  const [collection, id, tag] = row;
  expect(cacheTags(collection, id)[1]).toBe(tag);
});
