import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault } from '../../../fixtures/service.ts';
import { always, useFaultBench } from './harness.ts';

const bench = useFaultBench();

/** Changes what the listing says, whatever that is. */
const rewrite = (change: (page: Record<string, unknown>) => unknown): Fault => ({
  kind: 'rewrite',
  rewrite: (value) => change(value as Record<string, unknown>),
});

describe('rows', () => {
  it.each([
    ['null', null],
    ['a text', 'x'],
    ['one without an id', { title: 't' }],
    ['one whose id is null', { id: null }],
    ['one whose id is an object', { id: {} }],
    ['one whose id is a fraction', { id: 1.5 }],
    ['one whose id is true', { id: true }],
  ])('row 53: %s is named, and nothing is removed because of it', async (_, row) => {
    const replaced = rewrite((page) => ({
      ...page,
      results: [row, ...(page.results as unknown[]).slice(1)],
    }));
    bench.strike('list', replaced, always);
    expect(await bench.fails()).toMatchObject({ problems: [{ id: '(row 1 of the listing)' }] });
    const { mirror, report } = await bench.sync({ onInvalid: 'keep' });
    expect(report.problems).toHaveLength(1);
    expect(mirror.index.articles).toHaveLength(6);
  });

  it.each([
    ['.', 'path segment'],
    ['..', 'path segment'],
    ['', 'it is empty'],
    ['a\u0000b', 'control character'],
    ['a\nb', 'control character'],
    ['\ud800', 'surrogate'],
    ['x'.repeat(513), 'longer than 512'],
  ])('row 56: the id %j is refused by name, before any request for it', async (id, reason) => {
    bench.service.replace([
      { id, title: 't', content: 'c', cover_image: null },
      ...makeArticles(6),
    ]);
    const error = await bench.fails();
    expect(error).toMatchObject({ code: 'invalid-articles' });
    expect(error.message).toContain(reason);
    expect(
      bench.service.requests.filter(({ kind }) => kind !== 'list' && kind !== 'article'),
    ).toEqual([]);
    expect(bench.service.count('article')).toBeLessThanOrEqual(1);
  });

  it('row 57: integers beyond 2^53 stay apart, and are fetched as they are', async () => {
    const big = [9007199254740993n, 9007199254740992n, 12345678901234567890123n];
    const articles = makeArticles(3).map((article, index) => ({ ...article, id: big[index] }));
    bench.service.replace([...articles, ...makeArticles(6)]);
    const { mirror } = await bench.succeeds();
    expect(mirror.index.articles.slice(0, 3).map(({ id }) => id)).toEqual(big.map(String));
  });

  it('row 57: 1 and "1" are refused', async () => {
    bench.service.replace([
      { id: '1', title: 't', content: 'c', cover_image: null },
      ...makeArticles(6),
    ]);
    expect(await bench.fails()).toMatchObject({ code: 'id-clash' });
  });
});

describe('a listing that changes while it is read', () => {
  it.each([
    [
      'an article comes',
      () => bench.service.add({ id: 'new', title: 't', content: 'c', cover_image: null }),
    ],
    ['an article goes', () => bench.service.remove(6)],
  ])('row 59: is read again when %s between two pages', async (_, change) => {
    bench.service.options.maxLimit = 2;
    let changed = false;
    bench.service.beforeAnswer = ({ kind, offset }) => {
      if (changed || kind !== 'list' || offset === 0) return;
      changed = true;
      change();
    };
    await bench.succeeds();
    expect(changed).toBe(true);
  });
});

it('row 59: a change that leaves no trace in any page is taken up by the next sync', async () => {
  bench.service.options.maxLimit = 2;
  bench.service.beforeAnswer = ({ kind, offset }) => {
    if (kind !== 'list' || offset !== 2) return;
    bench.service.beforeAnswer = undefined;
    bench.service.add({ id: 'new', title: 't', content: 'c', cover_image: null });
    bench.service.remove(5);
  };
  const { mirror } = await bench.sync();
  const ids = mirror.index.articles.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['6', '4', '3', '2', '1']));
  await bench.succeeds();
});

describe('a listing that misleads', () => {
  it('row 60: an ignored offset is refused', async () => {
    Object.assign(bench.service.options, { ignoreOffset: true, maxLimit: 2 });
    expect(await bench.fails()).toMatchObject({ code: 'offset-ignored' });
  });

  it.each([1, 2, 5])('row 60: a limit clamped to %i is paged through', async (maxLimit) => {
    bench.service.options.maxLimit = maxLimit;
    await bench.succeeds();
  });

  it.each([
    ['too low', 2],
    ['null', null],
    ['negative', -1],
    ['a text', '6'],
    ['a fraction', 5.5],
  ])('row 60: a count that is %s costs no article', async (_, count) => {
    bench.service.options.maxLimit = 2;
    bench.strike(
      'list',
      rewrite((page) => ({ ...page, count })),
      always,
    );
    await bench.succeeds();
  });

  it('row 60: a count that is too high removes nothing', async () => {
    bench.service.remove(1);
    bench.strike(
      'list',
      rewrite((page) => ({ ...page, count: 1000 })),
      always,
    );
    const { mirror } = await bench.sync();
    expect(mirror.index.articles).toHaveLength(6);
    bench.strike(
      'list',
      rewrite(({ results }) => ({ count: 1000, results })),
      always,
    );
  });

  it('row 60: a listing that is cut short without a word is refused', async () => {
    const cut = rewrite((page) => ({ count: 6, results: (page.results as unknown[]).slice(0, 0) }));
    bench.strike(({ kind, offset = 0 }) => kind === 'list' && offset >= 4, cut, always);
    bench.service.options.maxLimit = 2;
    bench.strike(
      'list',
      rewrite(({ results }) => ({ count: 6, results })),
      always,
    );
    expect(await bench.fails()).toMatchObject({ code: 'listing-incomplete' });
  });

  it.each([
    'http://evil.example/?offset=2',
    'https://127.0.0.1:1/next',
    '//evil.example/',
    '/\\evil.example/',
    'https://user:pw@evil.example/',
    'javascript:alert(1)',
    '/elsewhere/?cursor=x',
  ])('row 60: the next %s is never followed', async (next) => {
    bench.service.options.maxLimit = 2;
    bench.strike(
      'list',
      rewrite((page) => ({ ...page, next: page.next && next })),
      always,
    );
    await bench.succeeds();
    expect(bench.service.requests.every(({ path }) => path.startsWith('/api/integrations/'))).toBe(
      true,
    );
  });

  it('row 60: an empty page half-way is asked for again', async () => {
    bench.service.options.maxLimit = 2;
    const empty = rewrite((page) => ({ ...page, results: [] }));
    bench.strike(({ kind, offset }) => kind === 'list' && offset === 2, empty);
    await bench.succeeds();
  });

  it('row 60: a listing without end ends', async () => {
    let serial = 0;
    const endless = rewrite((page) => ({
      next: 'x',
      results: (page.results as object[]).concat(
        Array.from({ length: 500 }, () => ({
          id: `e${serial++}`,
          title: 't',
          content: 'c',
          cover_image: null,
        })),
      ),
    }));
    bench.strike('list', endless, always);
    await bench.fails({ trustList: true, totalTimeout: 1_500 });
  });

  it('row 61: an empty one removes nothing', async () => {
    bench.service.replace([]);
    expect(await bench.fails()).toMatchObject({ code: 'mass-removal' });
  });
});

describe('articles', () => {
  it.each([
    ['a number for a title', { title: 7 }, 'title'],
    ['a list for a content', { content: [] }, 'content'],
    ['a cover that is no URL and no object with one', { cover_image: 7 }, 'cover_image'],
  ])('row 54: %s is named with its id and field', async (_, patch, field) => {
    bench.service.change(6, patch);
    expect(await bench.fails()).toMatchObject({ problems: [{ id: '6', field }] });
  });

  it.each([{ title: '' }, { title: null }, { content: ' \n' }, { title: undefined }])(
    'row 54: %j makes a draft',
    async (patch) => {
      bench.service.change(6, patch);
      const { mirror } = await bench.sync();
      expect(mirror.index.articles.map(({ draft }) => draft)).toEqual([
        true,
        ...Array(5).fill(false),
      ]);
    },
  );

  it('row 55: unknown fields are kept for a schema of the user’s own', async () => {
    bench.service.change(6, { tags: ['a'], nested: { b: [1, { c: null }] } });
    const { mirror } = await bench.sync();
    const { extra } = await mirror.readArticle(mirror.index.articles[0]?.object ?? '');
    expect(extra).toEqual({ tags: ['a'], nested: { b: [1, { c: null }] } });
  });
});
