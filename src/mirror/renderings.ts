import { hash } from '../shared/hash.ts';
import { openPackFolder } from './pack-folder.ts';
import { parseJson } from './stored-article.ts';

/** The time in ms before unused renderings are removed: two sites or modes may share a cache. */
const grace = 7 * 86_400_000;

/**
 * Opens the rendered articles of a collection. The name of each record is a key, which is a hash of everything
 * that shapes the rendering, and the hash of its content.
 */
export function openRenderings(folder: string, date: () => number) {
  const records = openPackFolder(folder, { date });
  /** Content hashes by key. */
  const hashes = new Map<string, string>();
  for (const name of records.names()) {
    const [key, contentHash] = name.split('-');
    if (key && contentHash) hashes.set(key, contentHash);
  }
  const nameOf = (key: string) => `${key}-${hashes.get(key)}`;

  return {
    flush: records.flush,
    find: (key: string) => hashes.get(key),

    read(key: string): unknown {
      const bytes = records.read(nameOf(key));
      if (bytes) return parseJson(bytes.toString());
      hashes.delete(key);
      return undefined;
    },

    async write(key: string, rendering: object): Promise<string> {
      const text = JSON.stringify(rendering);
      const contentHash = hash(text);
      hashes.set(key, contentHash);
      await records.write(nameOf(key), text);
      return contentHash;
    },

    /** Removes renderings that were last used more than a week ago. */
    clean: (keys: Iterable<string>) =>
      records.clean({ used: new Set([...keys].map(nameOf)), grace }),
  };
}
