import memoryProvider from 'astro/cache/memory';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  AstroCache,
  applyCacheHeaders,
} from '../../../node_modules/astro/dist/core/cache/runtime/cache.js';
import { onRequest } from '../../../src/webhook/cache-middleware.ts';
import { purge } from '../../../src/webhook/index.ts';
import { runs } from '../../helpers/runs.ts';

const { signal } = new AbortController();
const nothing = () => {};
const logger = { info: nothing, warn: nothing, error: nothing };
type Middleware = typeof onRequest;

/**
 * Creates a site with one live page in Astro's own cache. Like Astro's handler, the cache provider calls the
 * middleware, which calls the page. The page requests its article and is rendered as a stream.
 */
function createLiveSite({ middleware }: { middleware: Middleware }) {
  const provider = memoryProvider({});
  const action = purge();
  let article = 0;
  let delays = () => 0;

  async function page(cache: AstroCache): Promise<Response> {
    await pause(delays());
    const shown = String(article);
    await pause(delays());
    cache.set({ tags: ['articles', 'articles:a'], maxAge: 60, swr: 86_400 });
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await pause(delays());
          controller.enqueue(new TextEncoder().encode(shown));
          controller.close();
        },
      }),
    );
  }

  return {
    setDelays: (next: () => number) => {
      delays = next;
    },
    async read(): Promise<number> {
      const request = new Request('https://site.example/live/a');
      const cache = new AstroCache(provider);
      const respond = async () => {
        const response = await middleware({ request, cache }, () => page(cache));
        applyCacheHeaders(cache, response, request);
        return response;
      };
      const response = await provider.onRequest?.(
        { request, url: new URL(request.url), logger },
        respond,
      );
      return Number(await response?.text());
    },
    async publish(): Promise<number> {
      article += 1;
      const published = article;
      const cache = new AstroCache(provider);
      await action.run({ body: { id: 'a' }, context: { cache }, signal });
      return published;
    },
  };
}

function pause(delay: number): Promise<void> {
  return delay < 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, delay));
}

/**
 * Publishes articles while readers request the page. Returns the number of requests after a publish that
 * returned an older article.
 */
async function race(publishes: number, middleware: Middleware): Promise<number> {
  const site = createLiveSite({ middleware });
  const numbers = fc.sample(fc.oneof(fc.integer({ min: -1, max: 10 }), fc.constant(40)), {
    numRuns: 997,
    seed: 16,
  });
  let next = 0;
  const delay = () => numbers[next++ % numbers.length] ?? 0;
  site.setDelays(delay);

  let published = 0;
  let stale = 0;
  let over = false;
  async function read(): Promise<void> {
    const atLeast = published;
    if ((await site.read()) < atLeast) stale += 1;
  }
  const readers = Array.from({ length: 8 }, async () => {
    while (!over) {
      await read();
      await pause(delay());
    }
  });
  for (let publish = 0; publish < publishes; publish++) {
    published = await site.publish();
    await read();
    await pause(delay());
  }
  over = true;
  await Promise.all(readers);
  return stale;
}

const publishes = runs(1).numRuns > 1 ? 1_000 : 20;

test('every request after a publish returns the published article', async () => {
  expect(await race(publishes, onRequest)).toBe(0);
}, 300_000);

test('Astro’s cache alone also stores pages that were rendered before the purge', async () => {
  expect(await race(20, (_, next) => next())).toBeGreaterThan(0);
});
