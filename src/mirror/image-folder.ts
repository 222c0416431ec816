import { join } from 'node:path';
import { hash } from '../shared/hash.ts';
import { namesIn, readIfExists, removeOlder, touch, writeAtomically } from './files.ts';

const imageName = /^(?<hash>[0-9a-f]{32})\.(?:jpg|png|gif|webp|avif)$/;

/**
 * A folder of images that never change, each with the hash of its bytes in its name. The name proves
 * the content, so a file that was cut short is found when it is read, and written again.
 */
export interface ImageFolder {
  /**
   * Whether a file is intact.
   *
   * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
   */
  isIntact(name: string): boolean;
  /**
   * Writes a file, unless it is intact already.
   *
   * @throws {ArticlesMirrorError} `mirror-unwritable`
   */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /**
   * Removes images that are not in `used` and are older than `grace` ms. The age of those in `usedBefore`
   * begins now. Other files are never removed.
   */
  clean(files: { used: Set<string>; usedBefore: Set<string>; grace: number }): void;
}

/** Opens a folder, which may not exist yet. */
export function openImageFolder(folder: string, date: () => number): ImageFolder {
  const names = new Set(namesIn(folder).filter((name) => imageName.test(name)));
  /** Names whose bytes this process has verified or written. */
  const intact = new Set<string>();

  function isIntact(name: string): boolean {
    const expected = imageName.exec(name)?.groups?.hash;
    const bytes = expected ? readIfExists(join(folder, name)) : undefined;
    const isSame = bytes !== undefined && hash(bytes) === expected;
    if (isSame) intact.add(name);
    else intact.delete(name);
    return isSame;
  }

  return {
    isIntact,

    async write(name, bytes) {
      if (intact.has(name)) return;
      const path = join(folder, name);
      // Otherwise another build could remove it, if it is old and in no index.
      if (isIntact(name)) return touch(path, date());
      await writeAtomically(path, bytes);
      intact.add(name);
      names.add(name);
    },

    clean({ used, usedBefore, grace }) {
      const now = date();
      for (const name of names) {
        if (used.has(name)) continue;
        if (usedBefore.has(name)) touch(join(folder, name), now);
        else removeOlder(join(folder, name), now - grace);
      }
    },
  };
}
