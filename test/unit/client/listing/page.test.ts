import { describe, expect, it, test } from 'vitest';
import { decodeListed } from '../../../../src/client/article.ts';
import { decodePage, readPage } from '../../../../src/client/listing/page.ts';
import { articleNotice } from '../../../../src/errors.ts';

const rows = [{ id: 1 }, { id: 2 }];
const read = (body: string | Uint8Array) =>
  readPage(typeof body === 'string' ? new TextEncoder().encode(body) : body, {
    headers: new Headers(),
  });

describe('a page of the listing', () => {
  it.each([
    ['a bare array', rows, {}],
    ['Django’s envelope', { count: 9, next: 'x', results: rows }, { count: 9, more: true }],
    ['the last page', { count: 2, next: null, results: rows }, { count: 2, more: false }],
    ['items and total', { items: rows, total: 7 }, { count: 7 }],
    ['items and total_count', { items: rows, total_count: 7 }, { count: 7 }],
    ['items and totalCount', { items: rows, totalCount: 7 }, { count: 7 }],
    ['a count of zero and a total', { items: rows, total: 7, count: 0 }, { count: 0 }],
    ['one level down', { data: { articles: rows, next: null } }, { more: false }],
    ['a list, and its count one level up', { count: 7, data: { items: rows } }, { count: 7 }],
    ['a list with its own count', { count: 9, data: { items: rows, count: 7 } }, { count: 7 }],
    [
      'one of several counts',
      { results: rows, totalCount: 4, total_count: 3, total: 2 },
      { count: 2 },
    ],
    ['an empty `next`', { results: rows, next: '' }, {}],
    ['a `next` that is a number', { results: rows, next: 2 }, {}],
    ['results before all others', { data: [], articles: [], items: [], results: rows }, {}],
    ['items before articles', { data: [], articles: [], items: rows }, {}],
    ['articles before data', { data: [], articles: rows }, {}],
    ['a known key next to other lists', { facets: [{}], results: rows }, {}],
    ['articles next to others', { pages: [{ id: 1 }], articles: rows }, {}],
    ['items next to others', { pages: [{ id: 1 }], items: rows }, {}],
    ['data next to others', { pages: [{ id: 1 }], data: rows }, {}],
    ['any name', { posts: rows }, {}],
    ['any name next to other values', { posts: rows, tags: ['a'], meta: { page: 1 } }, {}],
    ['any name, one level down', { response: { posts: rows }, ok: true }, {}],
    ['any name, and no rows', { posts: [] }, { rows: [] }],
    ['the only list with ids', { links: [{ rel: 'x' }], posts: rows, tags: [] }, {}],
    ['a count that is not a number', { results: rows, count: '2' }, {}],
    ['a negative count', { results: rows, count: -1 }, {}],
  ])('is found in %s', (_, value, signs) => {
    expect(decodePage(value)).toEqual({ rows, ...signs });
  });

  it.each([
    ['a text', 'x', 'responded with text instead of a listing'],
    ['null', null, 'responded with null instead of a listing'],
    ['no fields', {}, 'without fields'],
    ['an error', { detail: 'no' }, 'fields: detail'],
    ['two lists', { posts: rows, pages: rows }, 'fields: posts, pages'],
    [
      'two known lists, one level down',
      { a: { results: rows }, b: { results: rows } },
      'fields: a, b',
    ],
    ['a list of texts', { posts: ['a'] }, 'fields: posts'],
    ['a list without ids', { errors: [{ message: 'no' }] }, 'fields: errors'],
    ['odd names', { 'a\u009bb\u202ec': 1 }, 'fields: a\\u{9b}b\\u{202e}c'],
  ])('is not %s', (_, value, reason) => {
    expect(() => decodePage(value)).toThrow(reason);
  });
});

describe('a page with one bad row keeps the others', () => {
  const good = '{"id":"good","title":"t","content":"c","cover_image":null}';
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const decoded = (page: { rows: unknown[] }) =>
    page.rows.map((row, index) => decodeListed(row, index + 1));
  const goodRow = {
    id: 'good',
    extra: {},
    title: 't',
    cover: null,
    article: expect.objectContaining({ title: 't' }),
  };

  test.each([70, 100_000])('a row that is nested %i levels deep becomes a summary', (levels) => {
    const bad = `{"id":"bad","title":"t","content":"c","cover_image":null,"x":${deep(levels)}}`;
    const page = read(`{"count":2,"results":[${bad},${good}]}`);
    expect(page).toMatchObject({ count: 2 });
    const badRow = { id: 'bad', extra: {}, title: 't', cover: null };
    expect(decoded(page)).toEqual([badRow, goodRow]);
  });

  test.each(['title', 'content', 'cover_image', 'other'])(
    'a row with a byte that is not UTF-8 in %s becomes a summary',
    (field) => {
      const bad = `{"id":"bad","title":"t","content":"c","cover_image":null,"${field}":"caf\xe9"}`;
      const page = read(Buffer.from(`[${bad},${good}]`, 'latin1'));
      expect(decoded(page)).toEqual([{ id: 'bad', extra: {} }, goodRow]);
    },
  );

  test('a row with such a byte in the name of a field becomes a summary', () => {
    const bad = '{"id":"bad","title":"t","content":"c","cover_image":null,"x":{"caf\xe9":1}}';
    const page = read(Buffer.from(`[${bad},${good}]`, 'latin1'));
    expect(decoded(page)).toEqual([{ id: 'bad', extra: {} }, goodRow]);
  });

  test('a row with such a byte in its id is a problem', () => {
    const page = read(Buffer.from(`[{"id":"\xe9"},${good}]`, 'latin1'));
    expect(decoded(page)).toEqual([
      {
        problem: articleNotice('(row 1 of the listing)', '"\uFFFD": it is not valid Unicode', 'id'),
      },
      goodRow,
    ]);
  });

  test('a replacement character that the service sends itself is a text like any other', () => {
    const page = read('[{"id":"a","title":"\uFFFD","content":"c","cover_image":null}]');
    expect(decoded(page)).toMatchObject([{ id: 'a', article: { title: '\uFFFD' } }]);
  });
});
