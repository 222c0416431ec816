import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'astro/zod';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import { articleSchema } from '../../../src/content/article-schema.ts';
import { rewritePage, rowsOf, status, useFaultSite } from './harness.ts';

const site = useFaultSite();
const added = { id: 'new', title: 't', content: 'c', cover_image: null };

describe('rows', () => {
  it.each([
    ['null', null],
    ['a text', 'x'],
    ['one without an id', { title: 't' }],
    ['one whose id is null', { id: null }],
    ['one whose id is an object', { id: {} }],
    ['one whose id is a fraction', { id: 1.5 }],
    ['one whose id is true', { id: true }],
  ])('%s is named, and removes nothing', async (_, row) => {
    const replaced = rewritePage((page) => ({ ...page, results: [row, ...rowsOf(page).slice(1)] }));
    site.strike('list', replaced);
    expect(await site.loadFails()).toMatchObject({ problems: [{ id: '(row 1 of the listing)' }] });
    const { entries, warnings } = await site.load({ onInvalid: 'keep' });
    expect(entries.size).toBe(6);
    expect(warnings.join('\n')).toContain('(row 1 of the listing)');
  });

  it.each([
    ['.', 'path segment'],
    ['..', 'path segment'],
    ['', 'empty'],
    ['a\u0000b', 'control character'],
    ['a\nb', 'control character'],
    ['\ud800', 'surrogate'],
    ['x'.repeat(513), '512'],
  ])('the id %j is refused by name, before any request for it', async (id, reason) => {
    site.service.replace([{ ...added, id }, ...makeArticles(6, { words: [100, 200] })]);
    const failure = await site.loadFails();
    expect(failure).toMatchObject({ code: 'invalid-articles' });
    expect(failure.message).toContain(reason);
    const kinds = new Set(site.service.requests.map(({ kind }) => kind));
    expect([...kinds].filter((kind) => kind !== 'list' && kind !== 'article')).toEqual([]);
    expect(site.service.count('article')).toBe(0);
  });

  it('integers beyond 2^53 stay apart, and are requested digit by digit', async () => {
    const big = [9007199254740993n, 9007199254740992n, 12345678901234567890123n];
    const articles = makeArticles(3).map((article, index) => ({ ...article, id: big[index] }));
    site.service.replace([...articles, ...makeArticles(6)]);
    await site.loadExactly();
  });

  it('1 and "1" are refused', async () => {
    site.service.replace([{ ...added, id: '1' }, ...makeArticles(6)]);
    expect(await site.loadFails()).toMatchObject({
      code: 'listing-unusable',
      message: expect.stringContaining('both as text and as a number'),
    });
  });
});

describe('a listing that changes while it is read', () => {
  it.each([
    ['an article is added', () => site.service.add(added)],
    ['an article is removed', () => site.service.remove(6)],
  ])('is read again when %s between two pages', async (_, change) => {
    site.service.options.maxLimit = 2;
    let changed = false;
    site.service.beforeResponse = ({ kind, offset }) => {
      if (changed || kind !== 'list' || offset === 0) return;
      changed = true;
      change();
    };
    await site.loadExactly();
    expect(changed).toBe(true);
  });

  it('is read correctly by the next load when no page shows the change', async () => {
    site.service.options.maxLimit = 2;
    site.service.beforeResponse = ({ kind, offset }) => {
      if (kind !== 'list' || offset !== 2) return;
      site.service.beforeResponse = undefined;
      site.service.add(added);
      site.service.remove(5);
    };
    const { entries } = await site.load();
    expect([...entries.keys()]).toEqual(expect.arrayContaining(['6', '4', '3', '2', '1']));
    await site.loadExactly();
  });
});

describe('a wrong listing', () => {
  it('by ignoring the offset is refused', async () => {
    Object.assign(site.service.options, { ignoreOffset: true, maxLimit: 2 });
    expect(await site.loadFails()).toMatchObject({
      code: 'listing-unusable',
      message: expect.stringContaining('for every `offset`'),
    });
  });

  it.each([1, 2, 5])('by lowering the limit to %i is read completely', async (maxLimit) => {
    site.service.options.maxLimit = maxLimit;
    await site.loadExactly();
  });

  it.each([
    ['too low', 2],
    ['null', null],
    ['negative', -1],
    ['a text', '6'],
    ['a fraction', 5.5],
  ])('by a count that is %s loses no article', async (_, count) => {
    site.service.options.maxLimit = 2;
    site.strike(
      'list',
      rewritePage((page) => ({ ...page, count })),
    );
    await site.loadExactly();
  });

  it('by a count that is too high removes only an article that the service responds 404 for', async () => {
    site.service.remove(1);
    site.strike(
      'list',
      rewritePage((page) => ({ ...page, count: 1000 })),
    );
    const { entries, warnings } = await site.load();
    expect([...entries.keys()].toSorted()).toEqual(['2', '3', '4', '5', '6']);
    expect(warnings).toContainEqual(
      expect.stringContaining('1000 announced, 5 listed; 995 articles may be missing'),
    );
  });

  it('by ending early is refused', async () => {
    const cut = rewritePage(() => ({ count: 6, results: [] }));
    site.strike(({ kind, offset = 0 }) => kind === 'list' && offset >= 3, cut);
    site.service.options.maxLimit = 2;
    site.strike(
      'list',
      rewritePage((page) => ({ count: 6, results: rowsOf(page) })),
    );
    expect(await site.loadFails()).toMatchObject({
      code: 'listing-unusable',
      message: expect.stringContaining('but lists only'),
    });
  });

  it.each([
    'http://evil.example/?offset=2',
    'https://127.0.0.1:1/next',
    '//evil.example/',
    '/\\evil.example/',
    'https://user:pw@evil.example/',
    'javascript:alert(1)',
    '/elsewhere/?cursor=x',
  ])('by the next page %s is read from its own address', async (next) => {
    site.service.options.maxLimit = 2;
    site.strike(
      'list',
      rewritePage((page) => ({ ...page, next: page.next && next })),
    );
    await site.loadExactly();
    for (const { path } of site.service.requests) expect(path).toMatch(/^\/api\/integrations\//);
  });

  it('by an empty page half-way is read again', async () => {
    site.service.options.maxLimit = 2;
    const empty = rewritePage((page) => ({ ...page, results: [] }));
    site.strike(({ kind, offset = 0 }) => kind === 'list' && offset > 0, empty, 1);
    await site.loadExactly();
  });

  it('by having no end is refused', async () => {
    let serial = 0;
    const endless = rewritePage((page) => ({
      next: 'x',
      results: [
        ...rowsOf(page),
        ...Array.from({ length: 500 }, () => ({ ...added, id: `e${serial++}` })),
      ],
    }));
    site.strike('list', endless);
    await site.loadFails({ totalTimeout: 30_000 });
  });
});

describe('articles', () => {
  it.each([{ title: '' }, { title: null }, { content: ' \n' }, { title: undefined }])(
    '%j makes a draft',
    async (patch) => {
      site.service.change(6, patch);
      const { entries } = await site.load();
      expect([...entries.keys()].toSorted()).toEqual(['1', '2', '3', '4', '5']);
      expect((await site.load({ drafts: 'include' })).entries.size).toBe(6);
    },
  );

  it('unknown fields reach a schema of the site’s own, and no other', async () => {
    site.service.change(6, { tags: ['a'], nested: { b: [1, { c: null }] }, secret: 'for editors' });
    const rank = (row: unknown) => ({ ...Object(row), rank: 7 });
    const ranked = rewritePage((page) => ({ ...page, results: rowsOf(page).map(rank) }));
    site.strike('list', ranked, 1);
    const schema = (context: Parameters<typeof articleSchema>[0]) =>
      articleSchema(context).extend({
        rank: z.number().optional(),
        tags: z.array(z.string()).optional(),
        nested: z.object({ b: z.array(z.unknown()) }).optional(),
      });
    const { entries, context } = await site.load({}, { schema });
    expect(entries.get('6')?.data).toMatchObject({
      ...{ rank: 7, tags: ['a'], nested: { b: [1, { c: null }] } },
    });
    expect(context.storeText()).not.toContain('for editors');
    // As Astro does when content.config changes.
    await rm(join(site.root, 'cache/data-store.json'));
    expect((await site.load()).context.storeText()).not.toContain('nested');
  });
});

describe('a service that responds with an error after its last page', () => {
  it.each([
    [404, 3],
    [404, 500],
    [410, 3],
    [410, 500],
  ])('is complete (status %i, %i rows a page)', async (code, pageSize) => {
    site.service.options.envelope = 'array';
    site.strike(
      ({ kind, offset = 0 }) => kind === 'list' && offset >= site.service.articles.length,
      status(code),
    );
    await site.loadExactly({ pageSize });
  });

  it('is complete with a single article', async () => {
    site.service.replace(makeArticles(1));
    site.service.options.envelope = 'array';
    site.strike(({ kind, offset = 0 }) => kind === 'list' && offset >= 1, status(404));
    await site.loadExactly({ allowEmpty: true });
  });
});

it('keeps a listed article when the listing is doubtful and no article can be fetched', async () => {
  await site.loadExactly({ trustList: true });
  // The listing shows one article twice, and another one not at all.
  site.strike(
    'list',
    rewritePage((page) => {
      const [first, second, ...rest] = rowsOf(page);
      return { ...page, results: [first, first, ...rest], hidden: second };
    }),
  );
  site.strike('article', status(404));
  const { failure, entries, warnings } = await site.load({ trustList: true });
  expect(failure).toBeUndefined();
  expect(entries.size).toBe(6);
  expect(warnings.join()).toMatch(/6 announced, 5 listed; one article may be missing/);
});
