import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { cacheKey } from '../../src/content/store.ts';
import type { Fetch } from '../../src/http/attempt.ts';
import { systemClock } from '../../src/shared/clock.ts';
import type { TestLoaderContext } from '../helpers/loader-context.ts';
import { runs } from '../helpers/runs.ts';
import { allowRemoval, type Load, useSite } from '../helpers/use-site.ts';

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

let pages: { limit: string; time: number; cacheControl: string | null }[] = [];
afterEach(() => {
  pages = [];
});

/** Changes the readings of one load. The pages of a second reading have another `limit`. */
function readings(...given: Reading[]): Fetch {
  const limits: string[] = [];
  return async (input, init) => {
    const response = await fetch(input, init);
    const limit = new URL(String(input)).searchParams.get('limit');
    if (limit === null) return response;
    const cacheControl = new Headers(init.headers).get('cache-control');
    pages.push({ limit, time: systemClock.now(), cacheControl });
    if (!limits.includes(limit)) limits.push(limit);
    const {
      lacks = [],
      age = 0,
      countsAll = false,
    } = given[limits.indexOf(limit)] ?? given.at(-1) ?? {};
    const page = Object(await response.json());
    const results = page.results.filter(({ id }: { id: unknown }) => !lacks.includes(String(id)));
    const counted = countsAll ? page.count : results.length;
    const headers = { ...(age > 0 && { age: String(age) }) };
    return Response.json({ ...page, results, count: counted }, { headers });
  };
}

/** Loads, and returns the ids of the entries that were written. */
async function load(fetch: Fetch, ...[options, more]: Parameters<typeof site.load>) {
  const written: string[] = [];
  const adapt = (context: TestLoaderContext): TestLoaderContext => {
    const set: typeof context.store.set = (entry) => {
      written.push(entry.id);
      return context.store.set(entry);
    };
    return { ...context, store: { ...context.store, set } };
  };
  const loaded = await site.load({ fetch, ...options }, { adapt, ...more });
  expect(loaded.failure).toBeUndefined();
  return { ...loaded, written };
}

const idsOf = ({ entries }: Load) => [...entries.keys()];
const some = fc.subarray(all, { maxLength: 8 });

describe('an article that a listing lacks, and whose own URL has it', () => {
  it('stays unchanged, unless two complete readings, five seconds apart, lack it', async () => {
    const seen = { kept: 0, removed: 0, aged: 0, doubtful: 0 };
    await fc.assert(
      fc.asyncProperty(
        some,
        some,
        fc.constantFrom([0, 0], [0, 0], [0, 9], [9, 0]),
        fc.boolean(),
        async (first, second, [age = 0, ageOfSecond = 0], isDoubtful) => {
          const before = await load(readings());
          expect(before.entries.size).toBe(count);
          pages = [];
          const doubtful = { lacks: first, countsAll: true };
          const plain = [
            { lacks: first, age },
            { lacks: second, age: ageOfSecond },
          ];
          const later = await load(readings(...(isDoubtful ? [doubtful] : plain)));
          for (const { cacheControl } of pages) expect(cacheControl).toBe('no-cache');
          const isProven = age + ageOfSecond === 0 && !isDoubtful;
          const removed = isProven ? first.filter((id) => second.includes(id)) : [];
          expect(idsOf(later).toSorted()).toEqual(all.filter((id) => !removed.includes(id)).sort());
          const kept = first.filter((id) => !removed.includes(id));
          const warned = later.warnings.join('\n');
          if (kept.length > 0) expect(warned).toContain(`are kept ("`);
          if (removed.length === 0) {
            expect(later.written).toEqual([]);
            expect(later.entries).toEqual(before.entries);
            expect(later.log).toContain('30 articles shown: 0 added, 0 updated, 30 unchanged');
          }
          const limits = [...new Set(pages.map(({ limit }) => limit))];
          const [start = 0, next = 0] = limits.map(
            (limit) => pages.find((page) => page.limit === limit)?.time,
          );
          if (first.length > 0 && !isDoubtful) {
            expect(limits).toHaveLength(2);
            expect(next - start).toBeGreaterThanOrEqual(5_000);
          }
          seen.kept += kept.length;
          seen.removed += removed.length;
          seen.aged += kept.length > 0 && age + ageOfSecond > 0 ? 1 : 0;
          seen.doubtful += kept.length > 0 && isDoubtful ? 1 : 0;
        },
      ),
      { ...runs(15), examples: [[all.slice(0, 5), all.slice(0, 5), [0, 0], false]] },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });

  it('keeps its place, and the digests of all others, while new articles appear', async () => {
    const before = await load(readings());
    site.service.add({ id: 31, title: 'New', content: 'New.', cover_image: null });
    const later = await load(readings({ lacks: ['30', '12'], countsAll: true }));
    expect(later.written).toEqual(['31']);
    for (const [id, entry] of before.entries) expect(later.entries.get(id)).toEqual(entry);
    expect(later.entries.get('31')?.data.position).toBe(31);
    expect(later.warnings.join('\n')).toContain('31 announced, 29 listed');
  });
});

describe('deleted articles', () => {
  it('are proven to be gone although others, which are still listed, were deleted, too', async () => {
    let gone = 0;
    let deletedLater = 0;
    await fc.assert(
      fc.asyncProperty(some, fc.subarray(all, { maxLength: 4 }), async (unlisted, later) => {
        site.service.replace(makeArticles(count, { words: [5, 10] }));
        await load(readings(), {}, allowRemoval);
        const still = later.filter((id) => !unlisted.includes(id));
        site.service.replace(site.service.articles.filter(({ id }) => !unlisted.includes(`${id}`)));
        const deleted: Fetch = async (input, init) =>
          still.some((id) => String(input).endsWith(`/${id}/`))
            ? Response.json({}, { status: 404 })
            : fetch(input, init);
        const loaded = await load(deleted);
        expect(idsOf(loaded).toSorted()).toEqual(all.filter((id) => !unlisted.includes(id)).sort());
        expect(loaded.warnings).toEqual([]);
        gone += unlisted.length;
        deletedLater += still.length;
      }),
      { ...runs(12), examples: [[all.slice(3, 9), ['1', '30', '15', '22']]] },
    );
    expect(Math.min(gone, deletedLater)).toBeGreaterThan(10);
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
    expect(later.log).toContain('29 articles shown: 0 added, 0 updated, 29 unchanged, 1 removed;');
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
