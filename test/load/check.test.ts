import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { Fault, ServiceOptions } from '../../fixtures/service.ts';
import { suggest } from '../../src/cli/check/suggest.ts';
import { type SampleLoads, siteAt } from '../../src/content/site-state.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { spread } from '../../src/sync/list.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { useSite } from '../helpers/use-site.ts';

// What the command `check` loads, and says about a service.

const site = useSite({ articles: () => makeArticles(60, { words: [5, 20] }) });
let sample: SampleLoads;

beforeEach(async () => {
  sample = { folder: await temporaryFolder(), read: new Map() };
  siteAt(pathToFileURL(`${site.root}/`)).sample = sample;
});

const readOf = () => sample.read.get('articles') ?? expect.unreachable();

test('fetches 20 articles from all parts of the listing, and keeps nothing', async () => {
  const before = await site.state();
  const { failure, entries, log } = await site.load(
    { pageSize: 50 },
    { env: { ARTICLES_OFFLINE: '1' } },
  );
  expect(failure).toBeUndefined();
  expect(entries.size).toBe(0);
  expect(await site.state()).toEqual(before);
  expect(existsSync(join(site.root, 'cache/astro-articles'))).toBe(false);
  expect(site.service.count('article')).toBe(20);
  expect(log).toContain('20 articles shown: 20 added');
  const { count, rows } = readOf();
  expect(count).toBe(60);
  expect(rows.map(({ id }) => id)).toEqual(site.service.articles.map(({ id }) => String(id)));
});

test('fails where a build fails on what it has read', async () => {
  site.service.change(60, { content: 'A title.', title: Object(7) });
  const invalid = await site.loadFails();
  expect(invalid.problems).toMatchObject([{ id: '60', field: 'title' }]);
  site.service.replace([]);
  expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
  expect(readOf().rows).toEqual([]);
  // Of some articles, all may be left out, and of all articles never.
  const transform = () => undefined;
  site.service.replace(makeArticles(21));
  expect((await site.load({ transform })).failure).toBeUndefined();
  site.service.replace(makeArticles(20));
  expect(await site.loadFails({ transform })).toMatchObject({ code: 'mass-removal' });
});

interface Case extends ServiceOptions {
  /** The fault of all requests for single articles. */
  fault?: Fault;
  options?: ArticlesOptions;
}

/** Loads a part of a service, and returns the findings and the options that they suggest. */
async function check({ fault, options, articles = makeArticles(8), ...service }: Case) {
  site.service.replace(articles);
  Object.assign(site.service.options, service);
  if (fault) site.strike('article', fault);
  await site.load(options);
  const findings = await suggest(readOf());
  const lines = findings.map(({ mark, text }) => `${mark} ${text}`);
  return { lines, set: Object.assign({}, ...findings.map(({ set }) => set)) };
}

const articlesWith = (...fields: object[]) =>
  makeArticles(fields.length).map((article, index) => ({ ...article, ...fields[index] }));
const dates = ['2024-05-03', '2024-05-02', '2024-05-01T10:00:00Z'];
const replaced = (rewrite: (data: unknown) => unknown): Fault => ({ kind: 'rewrite', rewrite });
const whole = { rows: 'whole' } as const;
const summaries = { rows: 'summary' } as const;

/** A service by its description, a line about it, and the options that it suggests. */
test.each<[string, Case, RegExp, ArticlesOptions]>([
  ['has whole rows', {}, /^✓ Each row is the whole article, as 3 of 3/, whole],
  [
    'has no recognisable single articles',
    { ...summaries, fault: replaced((data) => ({ first: data, second: data })) },
    /^! None of 3 single articles .*\(fields: first, second\)/,
    {},
  ],
  [
    'has single articles with a field of another type',
    { ...summaries, fault: replaced((data) => ({ ...Object(data), title: { rendered: 'T' } })) },
    /^! None of 3 .*: 1 article cannot be used: article "1", field title: expected text, got an object\. Fix/,
    {},
  ],
  [
    'responds 404 for single articles',
    { fault: { kind: 'status', status: 404 } },
    /^! None of 3 single articles .*404.* The rows have all four fields/,
    whole,
  ],
  [
    'has rows that differ from their articles',
    { fault: replaced((value) => ({ ...Object(value), title: 'Other' })) },
    /^! 3 of 3 articles differ from their rows/,
    {},
  ],
  [
    'has summaries without a field that shows changes',
    { ...summaries, articles: articlesWith({ api_version: 2 }, { api_version: 2 }) },
    /^! 2 of 2 rows are summaries\. No field .* all 2 articles/,
    {},
  ],
  [
    'has summaries with a field that shows changes',
    {
      ...summaries,
      articles: articlesWith(...dates.map((updated_at) => ({ api_version: 2, updated_at }))),
    },
    /^! 3 of 3 rows are summaries\. `updated_at` suits/,
    { rows: { changedBy: 'updated_at' } },
  ],
  [
    'has rows that lack the field of `changedBy`',
    {
      ...summaries,
      articles: articlesWith({ edited: 1, tags: [] }, {}),
      options: { rows: { changedBy: 'edited' } },
    },
    /^! 1 of 2 rows lack `edited`/,
    {},
  ],
  [
    'has another value of the field of `changedBy` in its articles',
    {
      ...summaries,
      articles: articlesWith({ edited: 1 }, { edited: 2 }),
      options: { rows: { changedBy: 'edited' } },
      fault: replaced((value) => ({ ...Object(value), edited: 0 })),
    },
    /^! 2 of 2 articles have another `edited` than their rows/,
    {},
  ],
  [
    'has further fields',
    { articles: articlesWith({ tags: [] }, { author: 'Ada' }) },
    /^✓ Further fields of the rows: `author`, `tags`\./,
    whole,
  ],
  [
    'lists the oldest articles first',
    { order: 'oldest-first' },
    /^! The rows are oldest first, by ids, if/,
    { order: 'oldest-first', ...whole },
  ],
  [
    'lists the oldest articles first, with `newest`',
    { order: 'oldest-first', options: { newest: 5 } },
    /^! The rows are oldest first.* `newest` needs the newest articles first/,
    whole,
  ],
  [
    'has dates that contradict its ids',
    {
      order: 'oldest-first',
      articles: articlesWith(...dates.toReversed().map((date) => ({ date }))),
    },
    /^✓ The rows are newest first, by `date`/,
    whole,
  ],
  [
    'shows no order',
    { articles: articlesWith({ id: 'b' }, { id: 'c' }, { id: 'a' }) },
    /^\? Neither dates nor ids/,
    whole,
  ],
  [
    'has no stable order',
    { order: 'unstable' },
    /^! The listing is unreliable, because (?:its pages contradict|it contains an article more)/,
    {},
  ],
  [
    'has more articles than the only one of `newest`',
    { options: { newest: 1 } },
    /^\? One row shows no order/,
    {},
  ],
])('reports a service that %s', async (_, given, line, suggested) => {
  const { lines, set } = await check(given);
  expect(lines).toContainEqual(expect.stringMatching(line));
  expect(set).toEqual(suggested);
});

test('suggests `bodies` for thousands of articles, of which it reads 1,500 rows and fetches 20, and 3 again', async () => {
  const { set } = await check({ articles: makeArticles(2_100, { words: [3, 5] }) });
  expect(set).toEqual({ bodies: 'mirror', ...whole });
  expect(site.service.count('article')).toBe(23);
  expect(site.service.count('list')).toBeLessThan(12);
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
