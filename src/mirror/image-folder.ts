import { mkdirSync, type Stats, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { hash } from '../shared/hash.ts';
import {
  bestEffort,
  namesIn,
  readIfExists,
  removeOlder,
  statIfExists,
  touch,
  writeAtomically,
} from './files.ts';
import { parseJson } from './stored-article.ts';

const imageName = /^(?<hash>[0-9a-f]{32})\.(?:jpg|png|gif|webp|avif)$/;
const halfHour = 1_800_000;
const verifiedSchema = z.record(z.string(), z.string());

/**
 * Opens a folder of images that never change, each with the hash of its bytes in its name. The name proves the
 * content, so a file that was cut short is found when it is read, and written again. The folder may not exist yet.
 *
 * Another file records which images were intact, so that not every load hashes all of them: for 5,000 images of
 * 50 KB that takes 0.4 s. An image whose size or modification time has changed is hashed again.
 */
export function openImageFolder(
  folder: string,
  { verifiedFile, date }: { verifiedFile: string; date: () => number },
) {
  const names = new Set(namesIn(folder).filter((name) => imageName.test(name)));
  const verified = readVerified(verifiedFile);
  let isChanged = false;

  function isIntact(name: string, stats: Stats | undefined): boolean {
    const expected = imageName.exec(name)?.groups?.hash;
    if (!expected || !stats?.isFile()) return false;
    const stamp = `${stats.size} ${stats.mtimeMs}`;
    if (verified.get(name) === stamp) return true;
    const bytes = readIfExists(join(folder, name));
    if (!bytes || hash(bytes) !== expected) return false;
    verified.set(name, stamp);
    isChanged = true;
    return true;
  }

  return {
    /**
     * Whether a file exists and is intact.
     *
     * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
     */
    has(name: string, size: number): boolean {
      const stats = statIfExists(join(folder, name));
      return stats?.size === size && isIntact(name, stats);
    },

    /**
     * Writes a file, unless it is intact already.
     *
     * @throws {ArticlesMirrorError} `mirror-unwritable`
     */
    async write(name: string, bytes: Uint8Array): Promise<void> {
      const path = join(folder, name);
      // Otherwise another build could remove it, if it is old and in no index.
      if (isIntact(name, statIfExists(path))) return touch(path, date(), date() - halfHour);
      await writeAtomically(path, bytes);
      names.add(name);
    },

    /**
     * Removes images that are not in `used` and are older than `grace` ms. The age of those in `usedBefore`
     * begins now. Other files are never removed.
     */
    clean(files: { used: Set<string>; usedBefore: Set<string>; grace: number }): void {
      const { used, usedBefore, grace } = files;
      const now = date();
      for (const name of names) {
        if (used.has(name)) continue;
        if (usedBefore.has(name)) touch(join(folder, name), now);
        else removeOlder(join(folder, name), now - grace);
      }
      const kept = [...verified].filter(([name]) => used.has(name)).sort();
      if (isChanged || kept.length < verified.size) writeVerified(verifiedFile, kept);
    },
  };
}

function readVerified(path: string): Map<string, string> {
  let text = '';
  bestEffort(() => {
    text = String(readIfExists(path));
  });
  return new Map(Object.entries(verifiedSchema.safeParse(parseJson(text)).data ?? {}));
}

function writeVerified(path: string, verified: readonly [string, string][]): void {
  bestEffort(() => {
    mkdirSync(dirname(path), { recursive: true });
    // A link is replaced, and not followed to a file of others.
    if (statIfExists(path)?.isSymbolicLink()) unlinkSync(path);
    writeFileSync(path, JSON.stringify(Object.fromEntries(verified)));
  });
}
