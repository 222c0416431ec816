import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'astro/zod';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import { articleSchema } from '../../../src/content/collection.ts';
import { allowRemoval } from '../../helpers/use-site.ts';
import { rewritePage, rowsOf, status, useFaultSite } from './harness.ts';

const site = useFaultSite();

describe('rows', () => {
  it.each([
    ['null', null, ''],
    ['one whose id is a fraction', { id: 1.5 }, 'whole number'],
    ['one whose id cannot be in a URL', { id: 'a\u0000b' }, 'control character'],
    ['one whose id is too long', { id: 'x'.repeat(513) }, '512'],
  ])('%s is named, requests nothing, and removes nothing', async (_, row, reason) => {
    const replaced = rewritePage((page) => ({ ...page, results: [row, ...rowsOf(page).slice(1)] }));
    site.strike('list', replaced);
    const failure = await site.loadFails();
    expect(failure).toMatchObject({ problems: [{ id: '(row 1 of the listing)' }] });
    expect(failure.message).toContain(reason);
    const { entries, warnings } = await site.load({ failOn: ['service'] });
    expect(entries.size).toBe(6);
    expect(warnings.join('\n')).toContain('(row 1 of the listing)');
  });
});

describe('a wrong listing', () => {
  it('by a count that is too high removes only an article that the service responds 404 for', async () => {
    site.service.remove(1);
    site.strike(
      'list',
      rewritePage((page) => ({ ...page, count: 1000 })),
    );
    const { entries, warnings } = await site.load();
    expect([...entries.keys()].toSorted()).toEqual(['2', '3', '4', '5', '6']);
    expect(warnings).toContainEqual(
      expect.stringContaining('articles may be missing (1000 announced, 5 listed)'),
    );
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
});

describe('articles', () => {
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
    await site.loadExactly({}, allowRemoval);
  });
});

it('keeps a listed article when the listing is doubtful and no article can be fetched', async () => {
  await site.loadExactly({ rows: 'whole' });
  // The listing shows one article twice, and another one not at all.
  site.strike(
    'list',
    rewritePage((page) => {
      const [first, second, ...rest] = rowsOf(page);
      return { ...page, results: [first, first, ...rest], hidden: second };
    }),
  );
  site.strike('article', status(404));
  const { failure, entries, warnings } = await site.load({ rows: 'whole' });
  expect(failure).toBeUndefined();
  expect(entries.size).toBe(6);
  expect(warnings.join()).toMatch(/may be missing \(6 announced, 5 listed\)/);
});
