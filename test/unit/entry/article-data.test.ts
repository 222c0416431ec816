import { expect, it } from 'vitest';
import { articleData } from '../../../src/entry/article-data.ts';

const dataOf = (extra: Record<string, unknown>) =>
  articleData(
    { title: 'T', description: 'First.', words: 3, extra },
    { slug: 't-1', cover: './a.png' },
  );
const own = { title: 'T', slug: 't-1', description: 'First.', words: 3, cover_image: './a.png' };

it('has the fields of the service, and over them those of the package', () => {
  const extra = { author: 'Ada', title: 'x', slug: 'x', words: 9, cover_image: 'x', gone: null };
  expect(dataOf(extra)).toEqual({ author: 'Ada', ...own });
});

it.each([
  [' Of the\n service ', 'Of the service'],
  [' \n', 'First.'],
  [1, 'First.'],
  [null, 'First.'],
])('with the description %j of the service has %j', (given, description) => {
  expect(dataOf({ description: given }).description).toBe(description);
});
