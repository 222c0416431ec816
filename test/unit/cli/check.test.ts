import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { FaultRule, ServiceOptions } from '../../../fixtures/service.ts';
import { loadService } from '../../../src/cli/check/sample-load.ts';
import { suggest } from '../../../src/cli/check/suggest.ts';
import { messageOf } from '../../../src/errors.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { resolveOptions } from '../../../src/options/resolve-options.ts';
import { spread } from '../../../src/sync/list.ts';
import { temporaryService } from '../../helpers/use-service.ts';

interface Case {
  service?: ServiceOptions;
  /** The fault of all requests for single articles. */
  articles?: FaultRule['fault'];
  options?: ArticlesOptions;
  /** Whether the requests have the right key also if the client sends another one. */
  anyKey?: boolean;
}

/** Checks a service in this process. */
async function check({ service: serviceOptions, articles, options, anyKey }: Case) {
  const service = await temporaryService({ articles: makeArticles(8), ...serviceOptions });
  const times = Number.POSITIVE_INFINITY;
  if (articles) service.fail({ on: 'article', times, fault: articles });
  const { url: baseUrl, apiKey } = service;
  const withKey: typeof fetch = (url, init) =>
    fetch(url, { ...init, headers: { 'x-project-api-key': apiKey } });
  const loader = { baseUrl, apiKey, ...options, ...(anyKey && { fetch: withKey }) };
  const site = { integration: {}, environment: {}, command: 'build' } as const;
  const reads: Parameters<typeof loadService>[1] = new Map();
  const error = await loadService(resolveOptions({ loader, ...site }), reads).catch(messageOf);
  const [read = expect.unreachable()] = reads.values();
  const findings = read.rows.length > 0 ? await suggest(read) : [];
  const set: ArticlesOptions = Object.assign({}, ...findings.map(({ set }) => set));
  return { lines: findings.map(({ mark, text }) => `${mark} ${text}`), set, error, service };
}

const articlesWith = (...fields: object[]) =>
  makeArticles(fields.length).map((article, index) => ({ ...article, ...fields[index] }));
const dates = ['2024-05-03', '2024-05-02', '2024-05-01T10:00:00Z'];

/** A service by its description, a line about it, and the options that it suggests. */
test.each<[string, Case, RegExp, ArticlesOptions]>([
  ['has whole rows', {}, /^✓ Each row is the whole article, as 3 of 3/, { rows: 'whole' }],
  ['refuses a wrong key', {}, /^✓ A wrong key is refused \(403\)/, { rows: 'whole' }],
  ['accepts a wrong key', { anyKey: true }, /^! A wrong key is accepted/, { rows: 'whole' }],
  [
    'has no recognisable single articles',
    {
      service: { rows: 'summary' },
      articles: { kind: 'rewrite', rewrite: (data) => ({ first: data, second: data }) },
    },
    /^! None of 3 single articles .*\(fields: first, second\)/,
    {},
  ],
  [
    'responds 404 for single articles',
    { articles: { kind: 'status', status: 404 } },
    /^! None of 3 single articles .*404.* The rows have all four fields/,
    { rows: 'whole' },
  ],
  [
    'has rows that differ from their articles',
    { articles: { kind: 'rewrite', rewrite: (value) => ({ ...Object(value), title: 'Other' }) } },
    /^! 3 of 3 articles differ from their rows/,
    {},
  ],
  [
    'has summaries without a field that shows changes',
    { service: { rows: 'summary' } },
    /^! 8 of 8 rows are summaries\. No field .* all 8 articles/,
    {},
  ],
  [
    'has summaries with a field that shows changes',
    {
      service: {
        rows: 'summary',
        articles: articlesWith(...dates.map((updated_at) => ({ updated_at }))),
      },
    },
    /^! 3 of 3 rows are summaries\. `updated_at` suits/,
    { rows: { changedBy: 'updated_at' } },
  ],
  [
    'has rows that lack the field of `changedBy`',
    {
      service: { rows: 'summary', articles: articlesWith({ edited: 1, tags: [] }, {}) },
      options: { rows: { changedBy: 'edited' } },
    },
    /^! 1 of 2 rows lack `edited`/,
    {},
  ],
  [
    'has further fields',
    { service: { articles: articlesWith({ tags: [] }, { author: 'Ada' }) } },
    /^✓ Further fields of the rows: `author`, `tags`\./,
    { rows: 'whole' },
  ],
  [
    'lists the oldest articles first',
    { service: { order: 'oldest-first' } },
    /^! The rows are oldest first, by ids, if/,
    { order: 'oldest-first', rows: 'whole' },
  ],
  [
    'lists the oldest articles first, with `newest`',
    { service: { order: 'oldest-first' }, options: { newest: 5 } },
    /^! The rows are oldest first.* `newest` needs the newest articles first/,
    { rows: 'whole' },
  ],
  [
    'has dates that contradict its ids',
    {
      service: {
        order: 'oldest-first',
        articles: articlesWith(...dates.toReversed().map((date) => ({ date }))),
      },
    },
    /^✓ The rows are newest first, by `date`/,
    { rows: 'whole' },
  ],
  [
    'shows no order',
    { service: { articles: articlesWith({ id: 'b' }, { id: 'c' }, { id: 'a' }) } },
    /^\? Neither dates nor ids/,
    { rows: 'whole' },
  ],
  [
    'has no stable order',
    { service: { order: 'unstable' } },
    /^! The listing is unreliable, because it contains an article more than once/,
    {},
  ],
  [
    'limits its pages',
    { service: { maxLimit: 4 } },
    /^! The service sends at most 4 rows/,
    { pageSize: 4, rows: 'whole' },
  ],
  [
    'has more articles than the only one of `newest`',
    { options: { newest: 1 } },
    /^\? One row shows no order/,
    {},
  ],
  [
    'has ids that no slug contains',
    { service: { articles: articlesWith({ id: '550e8400-e29b-41d4-a716-446655440000' }, {}) } },
    /^✓ The id cannot be read from 1 of 2 slugs, such as ".*" of "550e8400/,
    { rows: 'whole' },
  ],
  [
    'has names of files as ids',
    {
      service: {
        articles: articlesWith(
          ...['tides', 'Über Knoten', 'sea/trip', 'part-2'].map((id) => ({ id })),
          { id: 'part-3', slug: 'part-3' },
        ),
      },
    },
    /^\? `glob\(\)` gives 3 of 5 ids another path than their slug, such as "Über Knoten", "sea\/trip", "part-2"\./,
    { rows: 'whole' },
  ],
  [
    'gives two articles one slug',
    { service: { articles: articlesWith({ slug: 'tides' }, { slug: 'Tides' }) } },
    /^! The articles "2" and "1" both have the slug "Tides"/,
    { rows: 'whole' },
  ],
])('reports a service that %s', async (_, given, line, set) => {
  const { lines, set: suggested } = await check(given);
  expect(lines).toContainEqual(expect.stringMatching(line));
  expect(suggested).toEqual(set);
});

test.each([
  ['numbers', makeArticles(8)],
  ['UUIDs', articlesWith({ id: '550e8400-e29b-41d4-a716-446655440000' })],
  ['their own slugs', articlesWith({ id: 'tides' }, { id: 'how-tides-work' })],
])('says nothing about `glob()` for ids that are %s', async (_, articles) => {
  const { lines } = await check({ service: { articles } });
  expect(lines.filter((line) => line.includes('glob()'))).toEqual([]);
});

describe('a check without a site', () => {
  test('fails for a service without articles', async () => {
    const given = { service: { articles: [] } };
    expect((await check(given)).error).toBe('The service lists no articles.');
  });

  test('suggests `bodies` for thousands of articles, of which it reads 1,500 rows and fetches 20, and 3 again', async () => {
    const service = { articles: makeArticles(2_100, { words: [3, 5] }) };
    const { set, service: used } = await check({ service });
    expect(set).toEqual({ bodies: 'mirror', rows: 'whole' });
    expect(used.count('article')).toBe(23);
    expect(used.count('list')).toBeLessThan(12);
  });

  test('says which rows have no usable id', async () => {
    const { error } = await check({ service: { articles: articlesWith({ id: '..' }, {}) } });
    expect(error).toContain('(row 1 of the listing)');
  });
});

test('a sample has the first value, the last one, and no other twice', () => {
  let checked = 0;
  fc.assert(
    fc.property(fc.nat(3_000), fc.integer({ min: 2, max: 25 }), (length, count) => {
      const values = Array.from({ length }, (_, index) => index);
      const picked = spread(values, count);
      expect(picked).toHaveLength(Math.min(length, count));
      expect(picked).toEqual([...new Set(picked)].toSorted((a, b) => a - b));
      if (length > 0) expect([picked[0], picked.at(-1)]).toEqual([0, length - 1]);
      checked += 1;
    }),
  );
  expect(checked).toBeGreaterThanOrEqual(100);
});
