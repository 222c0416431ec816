import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { cacheKey } from '../../src/entry/digest.ts';
import type { Fetch } from '../../src/http/send.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { type Load, useSite } from '../helpers/use-site.ts';

// Articles that a listing lacks. A service responds from replicas and through caches, so a listing may be old.

const count = 30;
const all = Array.from({ length: count }, (_, index) => String(index + 1));
const site = useSite({
  articles: () => makeArticles(count, { words: [5, 10] }),
  options: { failOn: ['service'] },
  loaded: true,
});

interface Reading {
  /** The articles that it lacks. */
  lacks?: string[];
  /** Its `Age`, in seconds. */
  age?: number;
  /** Whether it says that it has all articles. */
  countsAll?: boolean;
}

/** The requests for pages of the last load. */
let pages: { limit: string; time: number; cacheControl: string | null }[] = [];

/** Changes the readings of one load. The pages of a second reading have another `limit`. */
function readings(...given: Reading[]): Fetch {
  const limits: string[] = [];
  pages = [];
  return async (input, init) => {
    const response = await fetch(input, init);
    const limit = new URL(String(input)).searchParams.get('limit');
    if (limit === null) return response;
    const cacheControl = new Headers(init.headers).get('cache-control');
    pages.push({ limit, time: systemClock.now(), cacheControl });
    if (!limits.includes(limit)) limits.push(limit);
    const reading = given[limits.indexOf(limit)] ?? given.at(-1) ?? {};
    const { lacks = [], age = 0, countsAll = false } = reading;
    const page = Object(await response.json());
    const results = page.results
      .filter(({ id }: { id: unknown }) => !lacks.includes(String(id)))
      .map((row: object) => ({ ...row, section: 'coast' }));
    const counted = countsAll ? page.count : results.length;
    const headers = { ...(age > 0 && { age: String(age) }) };
    return Response.json({ ...page, results, count: counted }, { headers });
  };
}

async function load(fetch: Fetch): Promise<Load> {
  const loaded = await site.load({ fetch });
  expect(loaded.failure).toBeUndefined();
  return loaded;
}

const idsOf = ({ entries }: Load) => [...entries.keys()];

describe('an article that a listing lacks, and whose own URL has it', () => {
  const some = ['30', '12', '1'];
  it.each<[string, Reading[], string[]?]>([
    ['two complete readings lack it', [{ lacks: some }], some],
    ['two complete readings lack one of them', [{ lacks: some }, { lacks: ['12', '7'] }], ['12']],
    ['only the first reading lacks it', [{ lacks: some }, {}]],
    ['the first reading came from a cache', [{ lacks: some, age: 9 }, { lacks: some }]],
    ['the second reading came from a cache', [{ lacks: some }, { lacks: some, age: 9 }]],
    ['the listing announces it', [{ lacks: some, countsAll: true }]],
  ])('is removed or stays unchanged, when %s', async (_, given, removed = []) => {
    const before = await load(readings());
    const later = await load(readings(...given));
    for (const { cacheControl } of pages) expect(cacheControl).toBe('no-cache');
    expect(idsOf(later).toSorted()).toEqual(all.filter((id) => !removed.includes(id)).sort());
    if (removed.length < some.length)
      expect(later.warnings.join()).toContain('which the site keeps');
    if (removed.length === 0) {
      expect(later.written).toEqual([]);
      expect(later.entries).toEqual(before.entries);
      expect(later.log).toContain('30 articles shown: 0 added, 0 updated, 30 unchanged');
    }
    const [first, second, ...others] = new Set(pages.map(({ limit }) => limit));
    if (given[0]?.age) expect(second, 'it cannot decide').toBeUndefined();
    if (given[0]?.countsAll || given[0]?.age) return;
    expect(others).toEqual([]);
    const timeOf = (limit = '') => pages.find((page) => page.limit === limit)?.time ?? Number.NaN;
    expect(timeOf(second) - timeOf(first)).toBeGreaterThanOrEqual(5_000);
  });
});

it('an unlisted article whose own URL fails is kept, and its problem is reported', async () => {
  const listed = readings({ lacks: ['12'], countsAll: true });
  const failing: Fetch = (input, init) =>
    /\/12\/$/.test(String(input))
      ? Promise.resolve(Response.json({}, { status: 400 }))
      : listed(input, init);
  const later = await load(failing);
  expect(idsOf(later)).toContain('12');
  expect(later.warnings.join()).toContain('article "12": ');
  const { failure } = await site.load({ fetch: failing, failOn: ['articles'] });
  expect(failure?.notices?.map(({ ids }) => ids)).toEqual([['12']]);
});

it.each(['compare', 'whole'] as const)(
  'an unlisted article keeps the fields that only its row had, with `rows: "%s"`',
  async (rows) => {
    const schema = (context: SchemaContext) => articleSchema(context).catchall(z.unknown());
    for (const reading of [{}, { lacks: ['12'], countsAll: true }]) {
      const { entries } = await site.load({ rows, fetch: readings(reading) }, { schema });
      expect(entries.get('12')?.data.section).toBe('coast');
    }
  },
);

describe('deleted articles', () => {
  it('are proven to be gone, even if others that are still listed were deleted, too', async () => {
    const unlisted = all.slice(3, 9);
    site.service.replace(site.service.articles.filter(({ id }) => !unlisted.includes(`${id}`)));
    const deleted: Fetch = async (input, init) =>
      /\/(?:1|30|15|22)\/$/.test(String(input))
        ? Response.json({}, { status: 404 })
        : fetch(input, init);
    // Another `fetch` requests all articles once.
    await load(fetch);
    site.service.clearRequests();
    const loaded = await load(deleted);
    expect(idsOf(loaded).toSorted()).toEqual(all.filter((id) => !unlisted.includes(id)).sort());
    expect(loaded.warnings).toEqual([]);
    // A second reading would prove less: that they are not listed.
    expect(site.service.count('list')).toBe(1);
  });

  it('cost the pages of others nothing, though their positions change', async () => {
    const keysOf = ({ entries }: Load) =>
      new Map(
        [...entries].map(([id, entry]) => [id, cacheKey({ ...entry, collection: 'articles' })]),
      );
    const before = keysOf(await load(readings()));
    site.service.remove(1);
    const later = await load(readings());
    expect(later.written).toHaveLength(count - 1);
    expect(later.log).toContain('0 added, 0 updated, 29 unchanged, 1 removed ("1");');
    const after = keysOf(later);
    expect(after.size).toBe(count - 1);
    for (const [id, key] of after) expect(key).toBe(before.get(id));
    site.service.change(7, { content: 'Changed.' });
    const changed = keysOf(await load(readings()));
    expect([...changed].filter(([id, key]) => after.get(id) !== key).map(([id]) => id)).toEqual([
      '7',
    ]);
  });
});
