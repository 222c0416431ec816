import { join } from 'node:path';
import { ArticlesMirrorError } from '../errors.ts';
import { namesIn, removeOlder, touch, writeAtomically } from './files.ts';
import {
  compress,
  decompress,
  isPackName,
  makePack,
  openPack,
  type Pack,
  readRecord,
} from './pack.ts';

/**
 * A folder of records that never change, many in one file: creating a file for each costs more than writing them,
 * and more again when the cache of a CI service is restored.
 */
export interface PackFolder {
  /** Whether there is a record. It may be corrupt. */
  has(name: string): boolean;
  /** Returns the names of all records; those in several packs are repeated. */
  names(): string[];
  /**
   * Reads a record; undefined when it is missing or corrupt.
   *
   * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
   */
  read(name: string): Buffer | undefined;
  /**
   * Adds a record, unless it is there and intact. It may stay in memory until `flush()`.
   *
   * @param name a name that ends in the hash of the bytes
   * @throws {ArticlesMirrorError} `mirror-unwritable`
   */
  write(name: string, bytes: string | Uint8Array): Promise<void>;
  /**
   * Writes the records that are only in memory.
   *
   * @throws {ArticlesMirrorError} `mirror-unwritable`; the next call tries again
   */
  flush(): Promise<void>;
  /**
   * Removes packs without any record in `used` that are older than `grace` ms. The age of those with records in
   * `usedBefore` begins now. Records in use are copied from packs that are corrupt, mostly unused, or small and many;
   * these packs are removed after an hour at most.
   */
  clean(records: {
    used: ReadonlySet<string>;
    usedBefore?: ReadonlySet<string>;
    grace: number;
  }): Promise<void>;
}

/** The number of packs of less than half this size that may stay: each load with a change adds one. */
const maxSmallPacks = 8;
const hour = 3_600_000;
const day = 24 * hour;

export interface PackFolderOptions {
  /** The time of day in ms since 1970. */
  date: () => number;
  /** The number of compressed bytes after which a pack is written. Default: 8 MB. */
  packBytes?: number;
}

/**
 * Opens a folder, which may not exist yet.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable`
 */
export function openPackFolder(
  folder: string,
  { date, packBytes = 8_000_000 }: PackFolderOptions,
): PackFolder {
  let packs: Pack[] = [];
  /** Compressed records that are in no pack yet, and the packs that they were copied from. */
  let added = new Map<string, Buffer>();
  let addedBytes = 0;
  let copied: string[] = [];
  const pathOf = ({ name }: { name: string }) => join(folder, name);
  findPacks();

  /** Adds the packs on disk that are not known yet. */
  function findPacks(): void {
    const known = new Set(packs.map(({ name }) => name));
    const names = namesIn(folder).filter((name) => isPackName(name) && !known.has(name));
    packs.push(...names.flatMap((name) => openPack(pathOf({ name }), name) ?? []));
  }

  const has = (name: string) => added.has(name) || packs.some(({ records }) => records.has(name));

  function find(name: string): { bytes: Buffer; pack?: Pack } | undefined {
    const found = findKnown(name);
    if (found || !packs.some(({ isGone }) => isGone)) return found;
    // Another process has copied the records in use to a new pack, and removed the old one.
    packs = packs.filter(({ isGone }) => !isGone);
    findPacks();
    return findKnown(name);
  }

  function findKnown(name: string): { bytes: Buffer; pack?: Pack } | undefined {
    const compressed = added.get(name);
    const bytes = compressed && decompress(compressed, name);
    if (bytes) return { bytes };
    for (const pack of packs) {
      const record = readRecord(pathOf(pack), pack, name);
      if (record) return { bytes: record.bytes, pack };
    }
    return undefined;
  }

  function add(name: string, compressed: Buffer): void {
    added.set(name, compressed);
    addedBytes += compressed.length;
  }

  async function flush(): Promise<void> {
    if (added.size > 0) packs.unshift(makePack(added, copied));
    added = new Map();
    addedBytes = 0;
    copied = [];
    for (const pack of packs.filter(({ content }) => content)) {
      await writeAtomically(pathOf(pack), pack.content ?? '');
      pack.content = undefined;
    }
  }

  /** Copies the records in use of a pack that should not stay. */
  async function replace(pack: Pack, { names }: UsedRecords): Promise<void> {
    for (const name of names) {
      const record = readRecord(pathOf(pack), pack, name);
      if (record) add(name, record.compressed);
    }
    copied.push(pack.name);
    if (addedBytes >= packBytes) await flush();
  }

  return {
    has,
    flush,
    names: () => [...packs.flatMap(({ records }) => [...records.keys()]), ...added.keys()],

    read: (name) => find(name)?.bytes,

    async write(name, bytes) {
      const known = find(name);
      // Otherwise another build could remove its pack, if that is old and no index needs it.
      if (known?.pack) touch(pathOf(known.pack), date(), date() - hour / 2);
      if (known) return;
      add(name, compress(bytes));
      if (addedBytes >= packBytes) await flush();
    },

    async clean({ used, usedBefore = new Set(), grace }) {
      const now = date();
      const all = [...packs];
      const before = recordsInUse(all, usedBefore);
      const current = recordsInUse(all, used);
      const outdated = outdatedPacks(current, packBytes);
      try {
        for (const [pack, records] of outdated) await replace(pack, records);
        await flush();
      } catch (error) {
        // The next load tries again.
        if (error instanceof ArticlesMirrorError) return;
        throw error;
      }
      const replaced = replacedPacks(packs);
      for (const pack of all) {
        const path = pathOf(pack);
        if (pack.isGone) continue;
        if (pack.isCorrupt && outdated.has(pack)) removeOlder(path, Number.POSITIVE_INFINITY);
        else if (current.has(pack) && !outdated.has(pack)) touch(path, now, now - day);
        else if (current.has(pack) || before.has(pack)) touch(path, now);
        else removeOlder(path, now - (replaced.has(pack.name) ? Math.min(grace, hour) : grace));
      }
    },
  };
}

interface UsedRecords {
  names: string[];
  bytes: number;
}

/** Returns the packs that should not stay, with their records. */
function outdatedPacks(inUse: ReadonlyMap<Pack, UsedRecords>, packBytes: number) {
  const isSmall = ({ bytes }: UsedRecords) => bytes < packBytes / 2;
  const hasMany = [...inUse.values()].filter(isSmall).length > maxSmallPacks;
  return new Map(
    [...inUse].filter(
      ([pack, records]) =>
        pack.isCorrupt || records.bytes < pack.bytes / 2 || (hasMany && isSmall(records)),
    ),
  );
}

/** Returns the names of packs whose records in use were copied to another pack, which is intact. */
function replacedPacks(packs: readonly Pack[]): Set<string> {
  return new Set(packs.flatMap(({ replaces, isCorrupt }) => (isCorrupt ? [] : replaces)));
}

/** Returns the packs with records in use. A record in several counts for one, which is not replaced by another. */
function recordsInUse(packs: readonly Pack[], used: ReadonlySet<string>): Map<Pack, UsedRecords> {
  const replaced = replacedPacks(packs);
  const rank = ({ name, isCorrupt }: Pack) => (isCorrupt || replaced.has(name) ? 1 : 0);
  const counted = new Set<string>();
  const inUse = new Map<Pack, UsedRecords>();
  for (const pack of packs.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))) {
    const records = [...pack.records].filter(([name]) => used.has(name) && !counted.has(name));
    if (records.length === 0) continue;
    const names = records.map(([name]) => name);
    for (const name of names) counted.add(name);
    inUse.set(pack, { names, bytes: records.reduce((sum, [, { length }]) => sum + length, 0) });
  }
  return inUse;
}
