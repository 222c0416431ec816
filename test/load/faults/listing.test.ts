import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
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

  it('by a next page on another host is read from its own address', async () => {
    site.service.options.maxLimit = 2;
    const next = 'https://127.0.0.1:1/next';
    site.strike(
      'list',
      rewritePage((page) => ({ ...page, next: page.next && next })),
    );
    await site.loadExactly();
    expect(site.service.count('list')).toBeGreaterThan(1);
    for (const { path } of site.service.requests) expect(path).toMatch(/^\/api\/integrations\//);
  });
});

it.each([
  [404, 6, 3],
  [410, 6, 500],
  [404, 1, 500],
])(
  'a service that responds %i behind its last page is complete (%i articles, %i a page)',
  async (code, count, pageSize) => {
    site.service.replace(makeArticles(count));
    site.service.options.envelope = 'array';
    site.strike(({ kind, offset = 0 }) => kind === 'list' && offset >= count, status(code));
    await site.loadExactly({ pageSize }, allowRemoval);
  },
);

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
