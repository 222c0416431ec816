import { expect, it } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault } from '../../../fixtures/service.ts';
import { allowRemoval } from '../../helpers/use-site.ts';
import { status, useFaultSite } from './harness.ts';

const site = useFaultSite();

/** Creates a fault that changes the JSON of a page of the listing. */
function rewritePage(change: (page: { next?: unknown; results: unknown[] }) => object): Fault {
  return { kind: 'rewrite', rewrite: (value) => change(Object(value)) };
}

it.each([
  ['null', null, ''],
  ['one whose id is too long', { id: 'x'.repeat(513) }, '512'],
])('a row that is %s is named, removes nothing, and causes one request', async (_, row, reason) => {
  const replaced = rewritePage((page) => ({ ...page, results: [row, ...page.results.slice(1)] }));
  site.strike('list', replaced);
  const failure = await site.loadFails();
  expect(failure).toMatchObject({ notices: [{ ids: ['(row 1 of the listing)'] }] });
  expect(failure.message).toContain(reason);
  site.service.clearRequests();
  const { entries, warnings } = await site.load({ failOn: ['service'] });
  // It is for the article that the row had.
  expect(site.service.count('article')).toBe(1);
  expect(entries.size).toBe(6);
  expect(warnings.join('\n')).toContain('(row 1 of the listing)');
});

it('a next page on another host is read from its own address', async () => {
  site.service.options.maxLimit = 2;
  const next = 'https://127.0.0.1:1/next';
  const elsewhere = rewritePage((page) => ({ ...page, next: page.next && next }));
  site.strike('list', elsewhere);
  await site.loadExactly();
  expect(site.service.count('list')).toBeGreaterThan(1);
  for (const { path } of site.service.requests) expect(path).toMatch(/^\/api\/integrations\//);
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
