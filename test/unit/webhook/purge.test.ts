import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { type PurgeOptions, purge, webhook } from '../../../src/webhook/index.ts';
import { runs } from '../../helpers/runs.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const site = 'https://site.example';

/** A cache of Astro that notes its calls. */
function createCache({ enabled = true, clock = createManualClock() } = {}) {
  const calls: { at: number; tags: string[] }[] = [];
  const invalidate = async ({ tags }: { tags: string[] }) =>
    void calls.push({ at: clock.now(), tags });
  return { calls, tags: () => calls.map(({ tags }) => tags), enabled, invalidate };
}

const post = (body: unknown, url = site) =>
  new Request(url, { method: 'POST', body: JSON.stringify(body) ?? '' });

const handlerOf = (options: PurgeOptions, clock: ManualClock) =>
  webhook({ secret: false, actions: [purge(options)] }, clock);

/** Sends a webhook to a process without waitUntil(), and lets a minute pass. */
async function send(options: PurgeOptions, body: unknown, context: object = {}): Promise<Response> {
  const clock = createManualClock();
  const response = handlerOf(options, clock)({ request: post(body), ...context });
  await clock.advance(60_000);
  return response;
}

async function tagsFor(body: unknown, options: PurgeOptions = {}): Promise<string[] | undefined> {
  const cache = createCache();
  await send({ ...options, cache }, body);
  const [tags] = cache.tags();
  // Pages that were being rendered are invalidated, too.
  expect(cache.tags()).toEqual(Array(3).fill(tags));
  return tags;
}

/** The largest tag, of an id that is too long. */
const longTag = `articles:${'%C3%A9'.repeat(20)}`.slice(0, 128);

test.each<[unknown, string[]?]>([
  [{ id: 'a1' }],
  [{ article_id: 'a1', id: 'event-7' }],
  [{ id: 'a1', ids: [] }],
  [{ id: 'event-7', ids: ['a1', 42] }, ['articles:a1', 'articles:42']],
  [{ id: 'event-7', article: { id: 'a1' } }],
  [{ id: 'event-7', data: { article_id: 'a1' } }],
  [{ article: { id: 'a1' }, data: { id: 'a2' } }, ['articles:a1', 'articles:a2']],
  [{ payload: { data: { id: 'a1' } } }],
  [{ object: { id: 'a1' } }],
  [{ data: { payload: { object: { article: { id: 'a1' } } } } }],
  [[{ id: 'a1' }]],
  [{ articles: [{ id: 'a1' }, { id: 'a1' }] }],
  [{ id: 42 }, ['articles:42']],
  [{ id: 'a, b/é' }, ['articles:a%2C%20b%2F%C3%A9']],
  [{ id: 'é'.repeat(400) }, [longTag]],
])('the articles that a body names: %j', async (body, tags = ['articles:a1']) => {
  expect(await tagsFor(body)).toEqual([...tags, 'articles/list']);
});

test.each([
  [undefined],
  [{}],
  [[]],
  [{ id: '' }],
  [{ id: { nested: true } }],
  [{ id: 'event-7', data: { slug: 'x' } }],
  [{ data: { data: { data: { data: { data: { id: 'deep' } } } } } }],
  [Array.from({ length: 101 }, (_, id) => ({ id }))],
  // JSON rounds it.
  [{ id: 12345678901234567000 }],
  [{ articles: [{ id: 'a' }, { id: 'b\n' }] }],
  [{ articles: [{ id: 'a' }, { title: 'b' }] }],
  [{ ids: ['a', null] }],
  [{ article: { id: 'a' }, data: { slug: 'x' } }],
])('all pages of the collection, since no article is named: %j', async (body) => {
  expect(await tagsFor(body)).toEqual(['articles']);
});

test.each([1, 98, 99, 100, 101])(
  'a body with %i articles leads to 100 tags in a call at most, or to that of all pages',
  async (count) => {
    const ids = Array.from({ length: count }, (_, id) => id);
    const own = [...ids.map((id) => `articles:${id}`), 'articles/list'];
    const expected = count < 100 ? own : ['articles'];
    const tags = await tagsFor({ ids });
    expect(tags).toHaveLength(expected.length);
    expect(tags).toEqual(expected);
  },
);

test('a host that refuses the only tag of a call gets the call three times for each purge', async () => {
  const cache = createCache();
  const invalidate = async (input: { tags: string[] }) => {
    await cache.invalidate(input);
    throw new TypeError('refused');
  };
  const response = await send({ cache: { invalidate } }, {}, { logger: { warn: vi.fn() } });
  expect(response.status).toBe(502);
  expect(cache.tags()).toEqual(Array(9).fill(['articles']));
});

test('a host that lets work continue knows of it until the last purge has ended', async () => {
  const clock = createManualClock();
  const cache = createCache({ clock });
  const ended: number[] = [];
  const context = {
    request: post({ id: 1 }),
    waitUntil: (task: Promise<unknown>) => void task.then(() => ended.push(clock.now())),
  };
  void handlerOf({ cache }, clock)(context);
  await clock.advance(60_000);
  const last = cache.calls.at(-1)?.at ?? 0;
  expect(last).toBeGreaterThan(12_000);
  expect(ended).toHaveLength(1);
  expect(ended[0]).toBeGreaterThanOrEqual(last);
});

test('another collection', async () => {
  expect(await tagsFor({ id: 'a' }, { collection: 'news' })).toEqual(['news:a', 'news/list']);
  expect(await tagsFor({}, { collection: 'news' })).toEqual(['news']);
});

test('the cache of the request is used, unless another one is passed', async () => {
  const requestCache = createCache();
  const otherCache = createCache();
  await send({}, {}, { cache: requestCache });
  await send({ cache: otherCache }, {}, { cache: requestCache });
  expect(requestCache.calls).toHaveLength(3);
  expect(otherCache.calls).toHaveLength(3);
});

test('there is nothing to do while Astro’s cache is off', async () => {
  const cache = createCache({ enabled: false });
  expect((await send({}, {}, { cache })).status).toBe(200);
  expect(cache.calls).toEqual([]);
});

test.each([[{}], [{ cache: {} }], [{ cache: null }]])(
  'fails with a hint where there is no cache: %j',
  async (context) => {
    const logger = { warn: vi.fn() };
    const response = await send({}, {}, { ...context, logger });
    const { actions } = await response.json();
    expect(actions).toMatchObject([
      { action: 'purge', ok: false, attempts: 1, error: expect.stringContaining('no cache of') },
    ]);
    expect(logger.warn).toHaveBeenCalled();
  },
);

test('any body leads to tags that hosts accept', async () => {
  let tags = 0;
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.string({ unit: 'binary' }), async (value, id) => {
      for (const body of [value, { id }, { data: { id, value } }]) {
        for (const tag of (await tagsFor(body)) ?? []) {
          expect(tag).toMatch(/^[!-+\--~]{1,128}$/);
          tags += 1;
        }
      }
    }),
    runs(8),
  );
  expect(tags).toBeGreaterThan(8);
});

test('a process without waitUntil() purges for each request at once, and 1 and 12 seconds later', async () => {
  const clock = createManualClock();
  const cache = createCache({ clock });
  const handler = handlerOf({ cache }, clock);
  for (const id of ['a', 'b']) {
    const response = handler(post({ id }));
    await clock.advance(200);
    expect((await response).status).toBe(200);
  }
  await clock.advance(60_000);
  expect(cache.tags()).toEqual(
    ['a', 'b', 'a', 'b', 'a', 'b'].map((id) => [`articles:${id}`, 'articles/list']),
  );
  expect(cache.calls.map(({ at }) => at)).toEqual([100, 300, 1_100, 1_300, 12_100, 12_300]);
});

const waitUntil = () => undefined;

test('a host purges the pages of each webhook within 12 seconds, and 12 later, in few calls', async () => {
  const at = fc.oneof(...[12_000, 12_000, 12_000, 60_000].map((max) => fc.nat({ max })));
  const webhooks = fc.array(fc.record({ at, id: fc.nat({ max: 5_000 }) }), {
    minLength: 200,
    maxLength: 300,
  });
  const counts = { webhooks: 0, alone: 0, collections: 0 };
  await fc.assert(
    fc.asyncProperty(webhooks, async (sent) => {
      const clock = createManualClock();
      const { calls, ...cache } = createCache({ clock });
      const handler = handlerOf({ cache }, clock);
      for (const { at, id } of sent)
        clock.after(at, () => void handler(post({ id }), { waitUntil }));
      await clock.advance(120_000);
      for (const { at, id } of sent) {
        for (const tag of [`articles:${id}`, 'articles/list']) {
          const own = calls.filter(({ tags }) => tags.includes(tag) || tags.includes('articles'));
          const first = own.find((call) => call.at > at)?.at ?? Number.POSITIVE_INFINITY;
          expect(first - at).toBeLessThanOrEqual(12_600);
          expect(own.some((call) => call.at >= first + 12_000 && call.at <= first + 24_500)).toBe(
            true,
          );
        }
        counts.webhooks += 1;
      }
      for (const [index, { at, tags }] of calls.entries()) {
        expect(at - (calls[index - 1]?.at ?? -12_000)).toBeGreaterThanOrEqual(12_000);
        expect(tags.length).toBeLessThanOrEqual(100);
        counts[tags[0] === 'articles' ? 'collections' : 'alone'] += 1;
      }
    }),
    { ...runs(2), endOnFailure: true },
  );
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0);
});

test('in a burst, articles are purged together, and all pages if a body names none', async () => {
  const body = fc.oneof(
    { weight: 5, arbitrary: fc.nat({ max: 20 }).map((id) => ({ id })) },
    fc.constantFrom({}, { articles: [{ title: 'a' }] }, 'text'),
  );
  const isNamed = (each: unknown) => typeof Object(each).id === 'number';
  const counts = { named: 0, mixed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 2, maxLength: 5 }), async (bodies) => {
      const clock = createManualClock();
      const cache = createCache({ clock });
      const handler = handlerOf({ cache }, clock);
      void handler(post({ id: 'first' }), { waitUntil });
      await clock.advance(1_000);
      for (const each of bodies) void handler(post(each), { waitUntil });
      await clock.advance(60_000);
      const ids = new Set(bodies.filter(isNamed).map((each) => `articles:${Object(each).id}`));
      const isAll = !bodies.every(isNamed);
      const expected = isAll ? ['articles'] : [...ids, 'articles/list'];
      const [, together = []] = cache.tags();
      expect(together.filter((tag) => tag !== 'articles:first')).toEqual(expected);
      if (ids.size > 0) counts[isAll ? 'mixed' : 'named'] += 1;
    }),
    { ...runs(25), examples: [[[{ id: 1 }, {}]], [[{}, { id: 1 }]]] },
  );
  expect(Math.min(counts.named, counts.mixed)).toBeGreaterThan(0);
});

test.each([1, 99])(
  'if a host refuses the tag of lists %i times, purges others at once, and all at most thrice',
  async (failures) => {
    const clock = createManualClock();
    const { calls, invalidate } = createCache({ clock });
    const together = () => calls.filter(({ tags }) => tags.length > 1);
    const cache = {
      async invalidate(input: { tags: string[] }) {
        await invalidate(input);
        const isRefused = input.tags.includes('articles/list') && together().length <= failures;
        if (isRefused) throw new TypeError('token=secret');
      },
    };
    const logger = { warn: vi.fn() };
    void handlerOf({ cache }, clock)({ ...{ request: post({ id: 1 }), logger, waitUntil } });
    await clock.advance(60_000);
    const refused = Math.min(failures, 6);
    expect(together()).toHaveLength(failures === 1 ? 3 : 6);
    expect(calls.filter(({ tags }) => tags.join() === 'articles:1')).toHaveLength(refused);
    // Netlify refuses a tag for five seconds.
    expect((together()[1]?.at ?? 0) - (together()[0]?.at ?? 0)).toBeGreaterThan(5_000);
    const failed =
      "[astro-articles] The webhook's purge failed (attempts: 3). It failed with TypeError.";
    expect(logger.warn.mock.calls).toEqual(failures === 1 ? [] : [[failed], [failed]]);
  },
);
