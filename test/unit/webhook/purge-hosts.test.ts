import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { cacheTags } from '../../../src/live/index.ts';
import { type PurgeOptions, purge, webhook } from '../../../src/webhook/index.ts';
import { runs } from '../../helpers/runs.ts';
import { createHostCache, type HostName } from './host-caches.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const window = 12_000;
/** The longest rendering, with the time limit of the live loader. */
const maxRendering = 10_000;
const site = 'https://site.example';
/** Milliseconds until a purge of a host has an effect. On Vercel, the next reader gets the old page, however late. */
const hostDelay: Record<HostName, number> = {
  Netlify: 2_000,
  Vercel: Number.POSITIVE_INFINITY,
  Cloudflare: 300,
};

interface SiteOptions extends Pick<PurgeOptions, 'warm'> {
  processes?: number;
}

/** Creates a site with a page for each article, whose processes share the cache of a host. */
function createSite(
  name: HostName,
  clock: ManualClock,
  { processes = 1, ...options }: SiteOptions = {},
) {
  const host = createHostCache(name, clock);
  const versions = new Map<string, number>();
  const rendering = new Map<string, Promise<string>>();
  const tasks: Promise<unknown>[] = [];
  const waitUntil = (task: Promise<unknown>) => void tasks.push(task);
  const programs = Array.from({ length: processes }, () => {
    const calls: { at: number; tags: string[] }[] = [];
    const cache = {
      async invalidate(input: { tags: string[] }) {
        calls.push({ at: clock.now(), tags: input.tags });
        await host.invalidate(input);
      },
    };
    const handler = webhook({ secret: false, actions: [purge({ ...options, cache })] }, clock);
    return { calls, handler };
  });

  function processAt(index: number) {
    const found = programs[index % programs.length];
    if (!found) throw new Error('The site has no process.');
    return found;
  }

  /** Renders the page that shows the article as it is now, and takes some time for it. */
  async function render(id: string, { duration = 0 } = {}): Promise<string> {
    const version = String(versions.get(id) ?? 0);
    await new Promise<void>((resolve) => void clock.after(duration, resolve));
    const headers = host.headersFor(await cacheTags('articles', id));
    await host.store(pathOf(id), new Response(version, { headers }));
    return version;
  }

  /** Equal requests to a host wait for the same rendering. */
  function renderOnce(id: string, how: Parameters<typeof render>[1]): Promise<string> {
    const running = rendering.get(id) ?? render(id, how).finally(() => rendering.delete(id));
    rendering.set(id, running);
    return running;
  }

  return {
    tasks,
    refused: host.refused,
    purged: host.purged,
    calls: (process = 0) => processAt(process).calls,
    render,
    version: (id: string) => versions.get(id) ?? 0,
    async read(id: string, how: Parameters<typeof render>[1] = {}): Promise<number> {
      const page = host.pages.get(pathOf(id));
      if (!page || page.usableUntil <= clock.now()) return Number(await renderOnce(id, how));
      if (page.freshUntil <= clock.now()) tasks.push(renderOnce(id, how));
      return Number(page.body);
    },
    publish(id: string, process = 0): Promise<Response> {
      versions.set(id, (versions.get(id) ?? 0) + 1);
      const request = new Request(site, { method: 'POST', body: JSON.stringify({ id }) });
      return processAt(process).handler(request, { waitUntil });
    },
  };
}

const pathOf = (id: string) => `/live/${encodeURIComponent(id)}`;

/** Runs all tasks of a host, also those that begin others. */
async function finish(tasks: Promise<unknown>[], clock: ManualClock): Promise<void> {
  for (let known = -1; known !== tasks.length; ) {
    known = tasks.length;
    let isRunning = true;
    const all = Promise.all(tasks).finally(() => {
      isRunning = false;
    });
    while (isRunning) await clock.advance(window);
    await all;
  }
}

test.each([
  ['Cloudflare', 2],
  // Netlify refuses a third purge of a tag in five seconds, also one of another process.
  ['Netlify', 12],
  ['Vercel', 2],
] as const)(
  'on %s, a burst of 200 webhooks to %i processes loses no purge, and no reader gets an old page for long',
  async (name, processes) => {
    let reads = 0;
    let oldest = 0;
    const moment = fc.record({
      at: fc.integer({ min: 0, max: 40_000 }),
      article: fc.integer({ min: 0, max: 39 }),
      process: fc.integer({ min: 0, max: processes - 1 }),
      duration: fc.integer({ min: 0, max: maxRendering }),
    });
    const story = fc.tuple(
      fc.array(moment, { minLength: 200, maxLength: 200 }),
      fc.array(moment, { minLength: 200, maxLength: 200 }),
    );
    await fc.assert(
      fc.asyncProperty(story, async ([publishes, requests]) => {
        const clock = createManualClock();
        const live = createSite(name, clock, { processes, warm: pathOf });
        vi.stubGlobal('fetch', async ({ pathname }: URL) => {
          const id = decodeURIComponent(pathname.slice('/live/'.length));
          return new Response(String(await live.read(id, { duration: maxRendering })));
        });
        const ids = Array.from({ length: 40 }, (_, index) => `${'long id '.repeat(60)}${index}`);
        const published: { at: number; id: string; version: number }[] = [];
        const cached = Promise.all(ids.map((id) => live.render(id)));
        await clock.advance(0);
        await cached;
        for (const { at, article, process } of publishes) {
          const id = ids[article] ?? '';
          clock.after(at, () => {
            live.tasks.push(live.publish(id, process));
            published.push({ at, id, version: live.version(id) });
          });
        }
        for (const { at, article, ...how } of requests) {
          const id = ids[article] ?? '';
          clock.after(1.5 * at, () => {
            const asked = clock.now();
            const check = async () => {
              const shown = await live.read(id, how);
              const missed = published.filter((each) => each.id === id && each.version > shown);
              reads += 1;
              oldest = Math.max(oldest, ...missed.map((each) => asked - each.at));
            };
            live.tasks.push(check());
          });
        }
        await clock.advance(60_000);
        await finish(live.tasks, clock);
        for (let process = 0; process < processes; process++) {
          const calls = live.calls(process);
          for (const [index, { at, tags }] of calls.entries()) {
            // Netlify has no limit of calls, but refuses some.
            const earlier = name === 'Netlify' ? undefined : calls[index - 1]?.at;
            if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(window);
            expect(tags.length).toBeLessThanOrEqual(100);
            for (const tag of tags) expect(tag).toMatch(/^[!-+\--~]{1,128}$/);
          }
        }
        if (name !== 'Netlify') expect(live.refused()).toBe(0);
        const last = Math.max(...published.map(({ at }) => at));
        expect(live.purged.get('articles/list')).toBeGreaterThan(last);
        const readAll = async () => {
          const shown = Promise.all(ids.map((id) => live.read(id)));
          await clock.advance(0);
          return shown;
        };
        if (name === 'Vercel') await readAll();
        expect(await readAll()).toEqual(ids.map(live.version));
      }),
      { ...runs(2), endOnFailure: true },
    );
    expect(reads).toBeGreaterThan(100);
    // An article waits for the end of a window, and is purged a second time after another one.
    expect(oldest).toBeGreaterThan(0);
    expect(oldest).toBeLessThanOrEqual(2 * window + hostDelay[name] + 500);
  },
);

test('more than 100 tags of a window become the tag of the collection', async () => {
  const clock = createManualClock();
  const live = createSite('Cloudflare', clock);
  for (let id = 0; id < 150; id++) live.tasks.push(live.publish(String(id)));
  await finish(live.tasks, clock);
  expect(live.calls().map(({ tags }) => tags)).toEqual([['articles'], ['articles']]);
});

test.each([true, false])(
  'on Vercel, whose first reader gets the old page, `warm: %j` decides whether it is a reader',
  async (isWarm) => {
    const clock = createManualClock();
    const live = createSite('Vercel', clock, isWarm ? { warm: pathOf } : {});
    const requested: string[] = [];
    vi.stubGlobal('fetch', async (url: URL) => {
      requested.push(url.href);
      return new Response(String(await live.read('a')));
    });
    const cached = live.render('a');
    await clock.advance(0);
    await cached;
    live.tasks.push(live.publish('a'));
    await finish(live.tasks, clock);
    const warmed = [`${site}/live/a`, `${site}/live/a`];
    expect(requested).toEqual(isWarm ? warmed : []);
    expect(await live.read('a')).toBe(isWarm ? 1 : 0);
  },
);

test.each([
  ['a host', 1],
  ['a host', 2],
  ['a host', 3],
  ['a Node process', 3],
])(
  'on %s, a further purge whose calls fail %i times is tried three times',
  async (name, failures) => {
    const clock = createManualClock();
    const attempts: number[] = [];
    const cache = {
      async invalidate({ tags }: { tags: string[] }) {
        if (tags.length > 1) attempts.push(clock.now());
        if (attempts.length > 1 && attempts.length <= failures + 1) {
          throw new TypeError('token=secret');
        }
      },
    };
    const logger = { warn: vi.fn() };
    const handler = webhook({ secret: false, actions: [purge({ cache })] }, clock);
    const request = new Request(site, { method: 'POST', body: '{"id":1}' });
    const waitUntil = name === 'a host' ? () => undefined : undefined;
    void handler({ ...{ request, logger, waitUntil } });
    await clock.advance(60_000);
    const tried = 1 + Math.min(failures + 1, 3);
    // One process has purged after a second already, when 12 seconds have passed.
    expect(attempts).toHaveLength(waitUntil ? tried : tried + 1);
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(pauses[0]).toBe(waitUntil ? window : 1_000);
    // Netlify refuses a tag for five seconds.
    if (waitUntil) expect(Math.min(...pauses)).toBeGreaterThan(5_000);
    const failed =
      "[astro-articles] The webhook's purge failed (attempts: 3). It failed with TypeError.";
    expect(logger.warn.mock.calls).toEqual(failures < 3 ? [] : [[failed]]);
  },
);
