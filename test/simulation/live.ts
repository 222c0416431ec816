import { liveArticlesLoader } from '../../src/live/index.ts';
import { liveLimits } from '../../src/live/live-options.ts';
import { purge } from '../../src/webhook/purge.ts';
import { expectDone, textsOf } from './judge.ts';
import { type Edit, isPublished, keys, origin } from './service.ts';
import type { World } from './world.ts';

// The clock of the world ends shorter pauses at once.
Object.assign(liveLimits, { totalTimeout: 60_000 });

type Entry = Awaited<ReturnType<ReturnType<typeof liveArticlesLoader>['loadEntry']>>;

/**
 * Changes an article while its live page is in a cache, and while a reader waits for it, whose page is stored after the
 * first purge. What begins after the second one shows the change (promise P11). False when nothing changes.
 */
export async function readLive(world: World, edit: Edit): Promise<boolean> {
  const { service } = world;
  const { id } = edit;
  const { fetch = globalThis.fetch } = world.optionsFor('main');
  const held = Promise.withResolvers<void>();
  const purged = Promise.withResolvers<void>();
  let isSlow = false;
  const loader = liveArticlesLoader({
    ...{ baseUrl: origin, apiKey: keys.main },
    timeout: 30_000,
    async fetch(url, init) {
      const isHeld = isSlow;
      const response = await fetch(url, init);
      if (isHeld) held.resolve();
      if (isHeld) await purged.promise;
      return response;
    },
  });
  const load = () => loader.loadEntry({ filter: { id }, collection: 'articles' });
  const cached = new Map<string, Entry>();
  const cache = {
    enabled: true,
    async invalidate({ tags = [] }: { tags?: string | string[] }) {
      for (const [page, entry] of cached) {
        const own = entry && 'cacheHint' in entry ? entry.cacheHint.tags : [];
        if (own.some((tag) => tags.includes(tag))) cached.delete(page);
      }
    },
  };
  const first = await load();
  if (first) cached.set(id, first);
  isSlow = true;
  const slow = load();
  await Promise.race([held.promise, slow]);
  const isChanged = service.edit(edit);
  isSlow = false;
  const runPurge = () =>
    purge({ cache }).run({
      ...{ body: { id }, bodies: [{ id }], context: {}, signal: AbortSignal.timeout(60_000) },
    });
  await runPurge();
  purged.resolve();
  const stored = await slow;
  if (stored) cached.set(id, stored);
  await runPurge();
  const entry = cached.get(id) ?? (await load());
  const version = service.now('main').get(id);
  const wanted = version && isPublished(version) ? version : undefined;
  const isRight =
    entry && 'data' in entry
      ? wanted !== undefined &&
        entry.data.title === wanted.title &&
        textsOf(wanted.content).every((text) => entry.rendered.html.includes(text))
      : entry === wanted;
  expectDone(isRight, `after a purge, ${id} is ${JSON.stringify(entry)}, not ${wanted?.content}`);
  return isChanged;
}
