import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, hash } from './digest.ts';
import { namesIn, sweep, writeWhole } from './files.ts';

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

/** Renderings that this build does not use stay this long, in ms: another one may use them. */
const grace = 86_400_000;

export async function openRenderings<T>(
  folder: string,
  { date }: { date: () => number },
): Promise<Renderings<T>> {
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
      const body = canonicalJson(rendering);
      await writeWhole(join(folder, fileOf(key)), `${hash(body)}\n${body}`);
      files.add(fileOf(key));
    },

    async keepOnly(keys) {
      const keep = new Set([...keys].map(fileOf));
      if (files.size === keep.size) return;
      await sweep(folder, { keeps: (name) => keep.has(name), before: date() - grace });
    },
  };
}
