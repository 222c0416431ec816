import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '../shared/hash.ts';
import { bestEffort, namesIn, statIfExists, unwritable, writeFile } from './files.ts';
import { encodePack, openPack, type Pack, readPack, readRecord } from './pack.ts';

export type PackFolder = ReturnType<typeof openPackFolder>;

/** The maximum number of packs smaller than half of `packBytes`. Each load with a change adds one. */
const maxSmallPacks = 8;

/**
 * Opens a folder of records that never change, in packs of about `packBytes`. A file per record would be slow to create,
 * and slow to restore from the cache of a CI service.
 *
 * All packs that are there stay open. So each process may remove the packs that its index does not need: another process
 * that needs them reads its open files, and writes them again in its own commit.
 *
 * @param indexed the names of the packs of the index, which are used before others with the same records
 */
export function openPackFolder(
  folder: string,
  indexed: readonly string[] = [],
  packBytes = 8_000_000,
) {
  const packs = new Map<string, Pack>();
  /**
   * The pack that has a record, by its name, without records found to be corrupt. To look into each of hundreds of packs
   * takes long.
   */
  const places = new Map<string, Pack>();
  /** Records that are in no pack yet. */
  const added = new Map<string, Buffer>();
  let addedBytes = 0;
  /** The number of bytes in memory from which on they become a pack. */
  let maxAddedBytes = packBytes;

  try {
    const names = namesIn(folder).filter((name) => name.endsWith('.pack'));
    for (const name of [...names.filter((name) => !indexed.includes(name)), ...indexed]) {
      const pack = openPack(join(folder, name));
      if (pack) addPack(pack);
    }
  } catch (error) {
    close();
    throw error;
  }

  function close(): void {
    for (const { file } of packs.values()) bestEffort(() => closeSync(file));
    packs.clear();
    places.clear();
  }

  function addPack(pack: Pack): void {
    packs.set(pack.name, pack);
    for (const name of pack.records.keys()) places.set(name, pack);
  }

  /** Reads a record; undefined when it is missing or corrupt. */
  function find(name: string): Buffer | undefined {
    const pack = places.get(name);
    const bytes = added.get(name) ?? (pack && readRecord(pack, name));
    if (!bytes) places.delete(name);
    return bytes;
  }

  function add(name: string, bytes: Buffer): void {
    added.set(name, bytes);
    addedBytes += sizeOf(name, bytes);
    if (addedBytes >= maxAddedBytes) flush();
  }

  /** Writes the records that are only in memory to a pack, and opens it. */
  function flush(): void {
    if (added.size === 0) return;
    const { name, content } = encodePack(added);
    const path = join(folder, name);
    const former = packs.get(name);
    // Another process may have written the same records, and Windows would not replace its file.
    let pack = former ? undefined : openPack(path);
    if (!pack) {
      writeFile(path, content);
      pack = openPack(path);
    }
    if (!pack) throw unwritable(path, 'another program removed it');
    if (former) bestEffort(() => closeSync(former.file));
    addPack(pack);
    added.clear();
    addedBytes = 0;
  }

  return {
    /** Returns whether there is a record. It may be corrupt. */
    has: (name: string): boolean => added.has(name) || places.has(name),

    /** The open packs, by the names of their files. */
    packs: packs as ReadonlyMap<string, unknown>,

    /** Reads a record; undefined when it is missing or corrupt. */
    read: (name: string): string | undefined => find(name)?.toString(),

    /**
     * Adds a record, unless an intact one exists. It stays in memory until there are enough for a pack, or `packAndCompact()`.
     *
     * @param key the hash of the inputs of the text, if other inputs may give the same text
     * @returns its name
     */
    write(text: string, key?: string): string {
      const bytes = Buffer.from(text);
      const name = key === undefined ? hash(bytes) : `${key}-${hash(bytes)}`;
      if (!find(name)) add(name, bytes);
      return name;
    },

    /** Keeps all records that are written from now on in memory, until `packAndCompact()`. */
    keepInMemory(): void {
      maxAddedBytes = Number.POSITIVE_INFINITY;
    },

    /**
     * Writes the records that are only in memory, and copies the used ones of packs that are corrupt, mostly unused, or
     * small and many. Returns the names of the packs with the used records.
     */
    packAndCompact(used: ReadonlySet<string>): string[] {
      flush();
      const inUse = [...packs.values()].flatMap((pack) => {
        const found = [...pack.records].filter(
          ([name]) => used.has(name) && places.get(name) === pack,
        );
        const bytes = found.reduce((sum, [name, place]) => sum + sizeOf(name, place), 0);
        return found.length > 0 ? { pack, found, bytes } : [];
      });
      const small = inUse.filter(({ bytes }) => bytes < packBytes / 2);
      const toRewrite = small.length > maxSmallPacks ? small : [];
      const outdated = inUse.filter(
        (each) =>
          toRewrite.includes(each) || each.pack.isCorrupt || each.bytes < each.pack.size / 2,
      );
      for (const [name] of outdated.flatMap(({ found }) => found)) {
        const record = find(name);
        if (record) add(name, record);
      }
      flush();
      const names = [...used].flatMap((name) => places.get(name)?.name ?? []);
      return [...new Set(names)].sort();
    },

    /** Writes packs again that another process has removed. What cannot be written is fetched by the next load. */
    restore(names: readonly string[]): void {
      for (const pack of packs.values()) {
        if (names.includes(pack.name) && !statIfExists(pack.path)) {
          bestEffort(() => writeFile(pack.path, readPack(pack)));
        }
      }
    },

    close,
  };
}

/** Returns the bytes that a record adds to a pack: its own, and those of its row of the table. */
function sizeOf(name: string, { length }: { length: number }): number {
  return length + name.length + 16;
}
