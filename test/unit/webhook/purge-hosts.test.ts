import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { cacheTags } from '../../../src/live/index.ts';
import { type PurgeOptions, purge, webhook } from '../../../src/webhook/index.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const window = 12_000;
const site = 'https://site.example';

interface Host {
  /** Whether a tag may be purged, and whether the next reader still gets the old page. */
  refuses(): boolean;
  isSoft: boolean;
  maxTagLength: number;
}

/** Five purges a minute, of which 25 can be saved up. Longer tags are dropped, and refusals are silent. */
function cloudflare(clock: ManualClock): Host {
  let tokens = 25;
  let last = clock.now();
  return {
    isSoft: false,
    maxTagLength: 1_024,
    refuses() {
      tokens = Math.min(25, tokens + ((clock.now() - last) * 5) / 60_000);
      last = clock.now();
      if (tokens < 1) return true;
      tokens -= 1;
      return false;
    },
  };
}

const vercel: Host = { isSoft: true, maxTagLength: 256, refuses: () => false };
const netlify: Host = { isSoft: false, maxTagLength: 1_024, refuses: () => false };

/** Creates a site whose pages show the version of an article, in the cache of a host. */
function createSite(clock: ManualClock, host: Host, options: PurgeOptions = {}) {
  const versions = new Map<string, number>();
  const pages = new Map<string, { version: number; tags: string[]; isStale: boolean }>();
  const calls: { at: number; tags: string[]; refused: boolean }[] = [];
  const tasks: Promise<unknown>[] = [];
  const cache = {
    enabled: true,
    async invalidate({ tags }: { tags: string[] }) {
      const refused = host.refuses();
      calls.push({ at: clock.now(), tags, refused });
      if (refused) return;
      for (const [id, page] of pages) {
        if (!page.tags.some((tag) => tags.includes(tag))) continue;
        if (host.isSoft) page.isStale = true;
        else pages.delete(id);
      }
    },
  };
  const handler = webhook({ secret: false, actions: [purge({ ...options, cache }, clock)] }, clock);

  async function render(id: string, duration = 0): Promise<number> {
    const version = versions.get(id) ?? 0;
    await new Promise<void>((resolve) => void clock.after(duration, resolve));
    const tags = (await cacheTags('articles', id)).filter((tag) => tag.length <= host.maxTagLength);
    pages.set(id, { version, tags, isStale: false });
    return version;
  }

  return {
    calls,
    tasks,
    render,
    version: (id: string) => versions.get(id) ?? 0,
    async read(id: string): Promise<number> {
      const page = pages.get(id);
      if (!page) return render(id);
      if (page.isStale) tasks.push(render(id));
      return page.version;
    },
    publish(id: string): Promise<Response> {
      versions.set(id, (versions.get(id) ?? 0) + 1);
      const request = new Request(site, { method: 'POST', body: JSON.stringify({ id }) });
      return handler({ request }, { waitUntil: (task: Promise<unknown>) => void tasks.push(task) });
    },
  };
}

test.each([
  ['Cloudflare', cloudflare],
  ['Netlify', () => netlify],
])('on %s, a burst of 200 webhooks loses no purge, with one call in 12 seconds', async (_, on) => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 200, maxLength: 200 }),
      fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 40, maxLength: 40 }),
      async (times, renderings) => {
        const clock = createManualClock();
        const live = createSite(clock, on(clock));
        const ids = times.map((_, index) => `${'long id '.repeat(60)}${index % 40}`);
        const cached = Promise.all(ids.map((id) => live.render(id)));
        await clock.advance(0);
        await cached;
        times.forEach((time, index) => {
          clock.after(time, () => void live.publish(ids[index] ?? ''));
        });
        renderings.forEach((duration, index) => {
          // Pages that are being rendered while their article is published.
          const start = Math.max(0, (times[index] ?? 0) - duration / 2);
          clock.after(start, () => void live.render(ids[index] ?? '', duration));
        });
        await clock.advance(80_000);
        await Promise.all(live.tasks);
        const { calls } = live;
        expect(calls.filter(({ refused }) => refused)).toEqual([]);
        calls.slice(1).forEach(({ at }, index) => {
          expect(at - (calls[index]?.at ?? 0)).toBeGreaterThanOrEqual(window);
        });
        for (const { tags } of calls) {
          expect(tags.length).toBeLessThanOrEqual(100);
          for (const tag of tags) expect(tag).toMatch(/^[!-+\--~]{1,128}$/);
        }
        for (const id of new Set(ids)) {
          const read = live.read(id);
          await clock.advance(0);
          expect(await read).toBe(live.version(id));
          checked += 1;
        }
      },
    ),
    { numRuns: 5 },
  );
  expect(checked).toBeGreaterThan(100);
});

test('more than 100 tags of a window become the tag of the collection', async () => {
  const clock = createManualClock();
  const live = createSite(clock, cloudflare(clock));
  for (let id = 0; id < 150; id++) void live.publish(String(id));
  await clock.advance(60_000);
  await Promise.all(live.tasks);
  expect(live.calls.map(({ tags }) => tags)).toEqual([['articles'], ['articles']]);
});

test('the response does not wait for the end of a window', async () => {
  const clock = createManualClock();
  const live = createSite(clock, netlify);
  const first = live.publish('a');
  await clock.advance(20);
  expect((await first).status).toBe(200);
  const second = live.publish('b');
  await clock.advance(1_000);
  expect((await second).status).toBe(202);
  expect(live.calls).toHaveLength(1);
  await clock.advance(60_000);
  expect(live.calls.slice(1).map(({ tags }) => tags)).toEqual([
    ['articles:a', 'articles/list', 'articles:b'],
    ['articles:b', 'articles/list'],
  ]);
});

test.each([true, false])(
  'on Vercel, whose first reader gets the old page, `warm: %j` decides whether it is a reader',
  async (isWarm) => {
    const clock = createManualClock();
    const warm = (id: string) => `/live/${id}`;
    const live = createSite(clock, vercel, isWarm ? { warm } : {});
    const requested: string[] = [];
    vi.stubGlobal('fetch', async (url: URL) => {
      requested.push(url.href);
      return new Response(String(await live.read('a')));
    });
    const cached = live.render('a');
    await clock.advance(0);
    await cached;
    const published = live.publish('a');
    await clock.advance(30_000);
    await published;
    await Promise.all(live.tasks);
    expect(requested).toEqual(isWarm ? [`${site}/live/a`, `${site}/live/a`] : []);
    expect(await live.read('a')).toBe(isWarm ? 1 : 0);
  },
);

test('a process without waitUntil() purges at once for each request, and again after 12 seconds', async () => {
  const clock = createManualClock();
  const calls: string[][] = [];
  const cache = { invalidate: async ({ tags }: { tags: string[] }) => void calls.push(tags) };
  const action = purge({ cache }, clock);
  const handler = webhook({ secret: false, actions: [action] }, clock);
  for (const id of ['a', 'b']) {
    const request = new Request(site, { method: 'POST', body: JSON.stringify({ id }) });
    const response = handler({ request });
    await clock.advance(100);
    expect((await response).status).toBe(200);
  }
  expect(calls).toEqual([
    ['articles:a', 'articles/list'],
    ['articles:b', 'articles/list'],
  ]);
  await clock.advance(window);
  expect(calls).toHaveLength(4);
});

test('a second call that fails is logged without its message', async () => {
  const clock = createManualClock();
  let calls = 0;
  const cache = {
    async invalidate() {
      calls += 1;
      if (calls > 1) throw new TypeError('token=secret');
    },
  };
  const logger = { warn: vi.fn() };
  const handler = webhook({ secret: false, actions: [purge({ cache }, clock)] }, clock);
  void handler({ request: new Request(site, { method: 'POST' }), logger } as { request: Request });
  await clock.advance(60_000);
  expect(logger.warn.mock.calls).toEqual([
    ["[astro-articles] The webhook's second purge failed (attempts: 1). It failed with TypeError."],
  ]);
});
