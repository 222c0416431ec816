import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArticlesClient, createArticlesClient } from '../../src/client/index.ts';
import { parseBaseUrl } from '../../src/client/urls.ts';
import { type Mirror, openMirror } from '../../src/mirror/mirror.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { type SyncReport, sync } from '../../src/sync/sync.ts';

/** Milliseconds for an attempt in these tests: the only wait that really passes. */
export const attemptTimeout = 400;

/** A clock in which pauses pass at once, and are noted. */
export function createHastyClock(timeout = attemptTimeout): Clock & { waits: number[] } {
  const waits: number[] = [];
  return {
    ...systemClock,
    waits,
    after(delay, callback) {
      // The timer of an attempt, which the total time may cut a little.
      if (delay <= timeout && delay > timeout - 50) return systemClock.after(delay, callback);
      waits.push(delay);
      return systemClock.after(0, callback);
    },
  };
}

export interface SyncRun {
  client: ArticlesClient;
  mirror: Mirror;
  report: SyncReport;
}

/** Opens a mirror, and a client to fill it, as the loader does, without Astro around it. */
export async function prepareSync(
  folder: string,
  given: ArticlesOptions,
  clock: Clock = createHastyClock(given.timeout),
) {
  const options = resolveOptions({
    loader: {
      timeout: attemptTimeout,
      ...given,
      images: { timeout: given.timeout ?? attemptTimeout, ...given.images },
    },
    integration: {},
    environment: {},
    command: 'build',
  });
  const client = createArticlesClient(options, clock);
  const mirror = await openMirror(folder, { source: options.baseUrl, date: clock.date });
  return { client, mirror, options, clock };
}

/** Syncs a mirror once. */
export async function syncOnce(
  folder: string,
  given: ArticlesOptions,
  { clock, signal }: { clock?: Clock; signal?: AbortSignal } = {},
): Promise<SyncRun> {
  const prepared = await prepareSync(folder, given, clock);
  const { client, mirror } = prepared;
  return { client, mirror, report: await sync({ ...prepared, signal }) };
}

export interface MirroredArticle {
  id: string;
  title: string;
  content: string;
}

/** What the mirror holds, in the order of the listing. */
export async function mirrored(folder: string, source: string): Promise<MirroredArticle[]> {
  const mirror = await openMirror(folder, { source: parseBaseUrl(source).href, date: Date.now });
  return Promise.all(
    mirror.index.articles.map(async ({ object }) => {
      const { id, title, content } = await mirror.readArticle(object);
      return { id, title, content };
    }),
  );
}

/** The mirror's index, and every file that it could name, as one text. */
export async function snapshot(folder: string): Promise<string> {
  const index = await readFile(join(folder, 'index.json'), 'utf8').catch(() => '(none)');
  const named = new Set(index.match(/[0-9a-f]{32}/g) ?? []);
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const isNamed = (file: string) => named.has(file.split('/').at(-1)?.split('.')[0] ?? '');
  const lines = files
    .filter(isNamed)
    .toSorted()
    .map(async (file) => {
      return `${file} ${createHash('sha256')
        .update(await readFile(join(folder, file)))
        .digest('hex')}`;
    });
  return [index, ...(await Promise.all(lines))].join('\n');
}
