import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn, sweep, touch, writeWhole } from '../mirror/files.ts';
import { hash } from '../shared/hash.ts';

/**
 * What was made of articles, kept so that it need not be made again. Each is filed under a key that
 * covers all it was made from, so one that is there is right, and one that is lost is made anew.
 */
export interface Renderings<T> {
  has(key: string): boolean;
  /** @returns undefined when there is none, or its file is damaged */
  read(key: string): Promise<T | undefined>;
  /** @throws {ArticlesMirrorError} */
  write(key: string, rendering: T): Promise<void>;
  /** Removes what is filed under other keys, unless it is so new that another build may use it. */
  keepOnly(keys: Iterable<string>): Promise<void>;
}

/** From when it was written, a rendering of this fingerprint stays this long, in ms: another build may use it. */
const grace = 86_400_000;
const graceOfOthers = 7 * grace;
/** What a fingerprint begins with that is never used again. */
export const oncePrefix = 'once-';

/**
 * Opens the renderings of a collection under a fingerprint: a name for everything besides the articles
 * that shapes them. Those under others stay for a week, since two sites or modes may share a cache.
 */
export async function openRenderings<T>(
  parent: string,
  { fingerprint, date }: { fingerprint: string; date: () => number },
): Promise<Renderings<T>> {
  const folder = join(parent, fingerprint);
  const files = new Set(await namesIn(folder));
  const fileOf = (key: string) => `${key}.json`;

  return {
    has: (key) => files.has(fileOf(key)),

    async read(key) {
      const text = await readFile(join(folder, fileOf(key)), 'utf8').catch(() => '');
      const end = text.indexOf('\n');
      const body = text.slice(end + 1);
      if (end !== -1 && text.slice(0, end) === hash(body)) return JSON.parse(body);
      if (text) await rm(join(folder, fileOf(key)), { force: true }).catch(() => undefined);
      files.delete(fileOf(key));
      return undefined;
    },

    async write(key, rendering) {
      const body = JSON.stringify(rendering);
      await writeWhole(join(folder, fileOf(key)), `${hash(body)}\n${body}`);
      files.add(fileOf(key));
    },

    async keepOnly(keys) {
      const keep = new Set([...keys].map(fileOf));
      const now = date();
      if ([...files].some((name) => !keep.has(name))) {
        await sweep(folder, { keeps: (name) => keep.has(name), before: now - grace });
      }
      await touch(folder, now);
      for (const name of await namesIn(parent)) {
        const kept = name.startsWith(oncePrefix) ? grace : graceOfOthers;
        if (name !== fingerprint) await removeOlder(join(parent, name), now - kept);
      }
    },
  };
}

async function removeOlder(folder: string, before: number): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found || found.mtimeMs >= before) return;
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
