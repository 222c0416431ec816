import { join } from 'node:path';
import { hash } from '../shared/hash.ts';
import { parseJson } from './article-file.ts';
import { touch } from './files.ts';
import { openObjectFolder } from './object-folder.ts';

const pattern = /^(?<key>[0-9a-f]{32})-(?<hash>[0-9a-f]{32})\.json$/;
const day = 86_400_000;
/** The time in ms before an unused rendering is removed: two sites or modes may share a cache. */
const grace = 7 * day;

/**
 * Opens the rendered articles of a collection. The name of each file contains a key, which is a hash of
 * everything that shapes the rendering, and the hash of its content.
 */
export function openRenderings(folder: string, date: () => number) {
  const files = openObjectFolder(folder, { pattern, date });
  /** Content hashes by key. */
  const hashes = new Map<string, string>();
  for (const name of files.names) {
    const { key, hash } = pattern.exec(name)?.groups ?? {};
    if (key && hash) hashes.set(key, hash);
  }
  const nameOf = (key: string) => `${key}-${hashes.get(key)}.json`;

  return {
    find: (key: string) => hashes.get(key),

    read(key: string): unknown {
      const bytes = files.read(nameOf(key));
      if (bytes) return parseJson(bytes.toString());
      hashes.delete(key);
      return undefined;
    },

    write(key: string, rendering: object): string {
      const text = JSON.stringify(rendering);
      const contentHash = hash(text);
      files.write(`${key}-${contentHash}.json`, text);
      hashes.set(key, contentHash);
      return contentHash;
    },

    /** Removes renderings that were last used more than a week ago. */
    clean(keys: Iterable<string>): void {
      const used = new Set([...keys].map(nameOf));
      const now = date();
      for (const name of used) touch(join(folder, name), now, now - day);
      files.clean({ used, grace });
    },
  };
}
