import { describe, expect, it } from 'vitest';
import { decodeArticle, decodeListed, hasContent, isDraft } from '../../../src/client/article.ts';
import { articleNotice } from '../../../src/errors.ts';

const article = { id: 'a', title: 't', content: 'c', cover_image: null };
const decoded = { ...article, extra: {} };
const failureOf = (value: unknown, id = 'a') => {
  try {
    return decodeArticle(value, id);
  } catch (error) {
    return error;
  }
};

describe('an article', () => {
  it('has four fields, and all others as extra ones', () => {
    expect(decodeArticle({ ...article, tags: ['x'], url: { a: 1 } }, 'a')).toEqual({
      ...decoded,
      extra: { tags: ['x'], url: { a: 1 } },
    });
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [9007199254740993n, '9007199254740993'],
    ['ü/?#', 'ü/?#'],
  ])('may have the id %s', (id, text) => {
    expect(decodeArticle({ ...article, id }, text).id).toBe(text);
  });

  it('has U+FFFD in place of lone surrogates, which files cannot contain', () => {
    const textsOf = (text: string) => ({ title: text, content: text, tags: [{ [text]: text }] });
    const { tags, ...texts } = textsOf('cut \ufffd');
    const half = decodeArticle({ ...article, ...textsOf('cut \ud83d') }, 'a');
    expect(half).toEqual({ ...decoded, ...texts, extra: { tags } });
  });

  it('without title or content has empty ones, and is a draft', () => {
    const draft = decodeArticle({ id: 'a', title: null }, 'a');
    expect(draft).toEqual({ ...decoded, title: '', content: '' });
    expect(isDraft({ ...draft, hasContent: hasContent(draft) })).toBe(true);
  });

  it.each([
    ['', 'c', true],
    [' ', 'c', true],
    ['t', '', true],
    ['t', '\n', true],
    ['t', 'c', false],
  ])('with the title %j and the content %j is a draft: %s', (title, content, expected) => {
    expect(isDraft({ title, hasContent: hasContent({ content }) })).toBe(expected);
  });

  it('with fields of other types is invalid, and each one is named', () => {
    expect(failureOf({ ...article, title: 7, content: ['c'] })).toMatchObject({
      code: 'invalid-articles',
      notices: [
        articleNotice('a', 'expected text, got a number', 'title'),
        articleNotice('a', 'expected text, got a list', 'content'),
      ],
    });
  });

  it.each<[cover: unknown, url: string | null]>([
    ['/a.png', '/a.png'],
    [' /a.png\n', '/a.png'],
    ['', null],
    [' ', null],
    [null, null],
    [undefined, null],
    [{ url: '/a.png', alt: 'A' }, '/a.png'],
    [{ src: '/a.png' }, '/a.png'],
    [{ url: '/a.png', src: '/b.png' }, '/a.png'],
    [{ url: '', src: '/b.png' }, '/b.png'],
    [{ url: null, src: '/b.png' }, '/b.png'],
    [{ url: null }, null],
    [{ url: '', src: '' }, null],
  ])('with the cover %j has the one with the URL %j', (cover, url) => {
    expect(decodeArticle({ ...article, cover_image: cover }, 'a')).toEqual({
      ...decoded,
      cover_image: url,
    });
  });

  it.each([
    [7, 'a number'],
    [['/a.png'], 'a list'],
    [{}, 'an object (without fields)'],
    [{ path: '/a.png' }, 'an object (fields: path)'],
    [{ url: 7, src: '/a.png' }, 'an object (fields: url, src)'],
  ])('with the cover %j has none, and a note', (cover, kind) => {
    expect(decodeArticle({ ...article, cover_image: cover }, 'a')).toEqual({
      ...decoded,
      notes: [{ code: 'cover-unreadable', ids: ['a'], data: { got: kind } }],
    });
  });

  it.each([
    { data: { ...article, extra: 1 } },
    { data: { ...article, extra: 1 }, meta: {}, links: { self: 'x' }, tags: [{ id: 'b' }] },
    { anyName: { ...article, extra: 1 }, count: 1 },
  ])('may be the only object with an id in an object: %j', (value) => {
    expect(decodeArticle(value, 'a')).toEqual({ ...decoded, extra: { extra: 1 } });
  });

  it('may be one of several objects with an id: that with the requested one', () => {
    const next = { ...article, id: 'b' };
    expect(decodeArticle({ next, article }, 'a')).toEqual(decoded);
    expect(decodeArticle({ article: { ...article, id: 7 }, next }, '7').id).toBe('7');
  });

  it('is not looked for in an object with an id', () => {
    const author = { id: 'b' };
    expect(decodeArticle({ ...article, author }, 'a').extra).toEqual({ author });
    expect(failureOf({ id: null, data: article })).toMatchObject({
      failure: { code: 'unexpected-shape' },
    });
  });

  it.each([
    ['data', { data: { article } }],
    ['article, author', { article: { ...article, id: 'c' }, author: { id: 'b' } }],
    ['posts', { posts: [article] }],
  ])('is not looked for deeper, or among several: %s', (names, value) => {
    const reason = `responded without a usable id (fields: ${names})`;
    const hint = expect.stringContaining('docs/start/translate.md');
    expect(failureOf(value)).toMatchObject({ failure: { code: 'unexpected-shape', reason, hint } });
  });

  it.each([
    [[], 'unexpected-shape', 'responded with a list instead of an article'],
    [null, 'unexpected-shape', 'responded with null instead of an article'],
    [{}, 'unexpected-shape', 'responded without a usable id (without fields)'],
    [{ id: 1.5, a: 1 }, 'unexpected-shape', 'responded without a usable id (fields: id, a)'],
    [{ ...article, id: 'b' }, 'unexpected-shape', 'responded with another article: "b"'],
    [{ ...article, id: 7 }, 'not-found', 'has numbers as ids, and responded with the article 7'],
  ])('is not %j', (value, code, reason) => {
    expect(failureOf(value)).toMatchObject({ failure: { code, reason } });
  });

  const longest = 'x'.repeat(200);
  const twelve = [...'abcdefghijkl'];
  it.each([
    ['a long name', [longest], longest],
    ['a longer name', [`${longest}x`], '(a long name)'],
    ['twelve names', twelve, twelve.join(', ')],
    ['fourteen names', [...twelve, 'm', 'n'], `${twelve.join(', ')} and 2 more`],
  ])('without an id has its fields in the reason: %s', (_, names, shown) => {
    const reason = `responded without a usable id (fields: ${shown})`;
    const value = Object.fromEntries(names.map((name) => [name, 1]));
    expect(failureOf(value)).toMatchObject({ failure: { reason } });
  });

  it.each([
    ...['007', '7abc', '+7', '7.0', '\u0667'].map((id) => [id, 'not-found']),
    ...['8', '70', '-7', '0', '9007199254740993'].map((id) => [id, 'unexpected-shape']),
  ])('with the id 7, where %j was requested, is %s', (id, code) => {
    expect(failureOf({ ...article, id: 7 }, id)).toMatchObject({ failure: { code } });
  });
});

describe('a row', () => {
  it('that lacks some fields of an article is the article only if rows are whole', () => {
    const settings = { apiKey: '' };
    const row = { id: 'a', cover_image: null, slug: 's' };
    expect(decodeListed(row, 1, settings)).not.toHaveProperty('article');
    const { article } = Object(decodeListed(row, 1, { ...settings, isWhole: true }));
    expect(article).toMatchObject({ id: 'a', title: '', content: '', cover_image: null });
    const onlyId = decodeListed({ id: 'a', slug: 's' }, 1, { ...settings, isWhole: true });
    expect(onlyId).not.toHaveProperty('article');
  });

  it('with all four fields contains the article', () => {
    expect(decodeListed(article, 1)).toEqual({
      id: 'a',
      extra: {},
      title: article.title,
      cover: article.cover_image,
      article: decoded,
    });
  });

  it.each([{ id: 'a' }, { id: 'a', title: 't', content: 'c' }, { ...article, title: 7 }])(
    'is a summary: %j',
    (row) => {
      const listed = decodeListed(row, 1);
      expect(listed).toMatchObject({ id: 'a' });
      expect(listed).not.toHaveProperty('article');
    },
  );

  it.each([
    [null, undefined, 'expected an object, got null'],
    ['x', undefined, 'expected an object, got text'],
    [{ title: 't' }, 'id', 'expected text or a whole number, got nothing'],
    [{ id: null }, 'id', 'expected text or a whole number, got null'],
    [{ id: 2 ** 53 }, 'id', 'expected text or a whole number, got a number'],
    [{ id: {} }, 'id', 'expected text or a whole number, got an object'],
    [{ id: 1.5 }, 'id', 'expected text or a whole number, got a number'],
    [{ id: '' }, 'id', '"": a URL cannot contain it as a path segment (RFC 3986, 5.2.4)'],
    [{ id: '..' }, 'id', '"..": a URL cannot contain it as a path segment (RFC 3986, 5.2.4)'],
    [{ id: 'a\u009b\u202e' }, 'id', '"a\\u{9b}\\u{202e}": it contains a control character'],
    [{ id: '\ud800' }, 'id', '"\\ud800": it is not valid Unicode'],
  ])('is a problem: %j', (row, field, reason) => {
    const problem = articleNotice('(row 3 of the listing)', reason, field);
    expect(decodeListed(row, 3)).toEqual({ problem });
  });

  it('with an id of more than 512 characters is a problem that does not repeat it', () => {
    const reason = 'a long text: it is longer than 512 characters';
    const problem = articleNotice('(row 3 of the listing)', reason, 'id');
    expect(decodeListed({ id: 'x'.repeat(513) }, 3)).toEqual({ problem });
  });

  it('may have an id that contains the API key, but not the key as its id', () => {
    const key = { apiKey: 'dev' };
    expect(decodeListed({ id: 'dev-log' }, 1, key)).toMatchObject({ id: 'dev-log' });
    const problem = articleNotice('(row 1 of the listing)', 'it contains the API key', 'id');
    expect(decodeListed({ id: 'dev' }, 1, key)).toEqual({ problem });
  });
});
