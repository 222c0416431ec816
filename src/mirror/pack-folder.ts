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
import { outdatedPacks, recordsInUse, replacementsOf, type UsedRecords } from './pack-use.ts';

/**
 * A folder of records that never change, in packs. A file per record would be slow to create, and slow to restore
 * from the cache of a CI service.
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
   * Adds a record, unless an intact one exists. It may stay in memory until `flush()`.
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
   * Removes unused packs whose grace period is over, then copies the records in use of packs that are corrupt, mostly
   * unused, or small and many, to new packs.
   */
  clean(options: CleanOptions): Promise<void>;
}

export interface CleanOptions {
  /** The records that stay. */
  used: ReadonlySet<string>;
  /** Records that were in use until now: the grace period of their packs starts now. */
  usedBefore?: ReadonlySet<string>;
  /**
   * Since when nothing but `usedBefore` was in use, in ms since 1970. It is needed where the times of files are those
   * of a checkout.
   */
  since?: number;
  /**
   * The time in ms for which an unused pack stays, because another build may use it. One whose records in use were
   * copied stays for an hour at most.
   */
  grace: number;
}

export interface PackFolderOptions {
  /** The time of day in ms since 1970. */
  date: () => number;
  /** The number of bytes after which a pack is written. Default: 8 MB. */
  packBytes?: number;
}

/** The length of a row of the table, without the name. */
const rowBytes = 16;
const hour = 3_600_000;
const day = 24 * hour;

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
  /** Compressed records that are in no pack yet. */
  const added = new Map<string, Buffer>();
  let addedBytes = 0;
  let lastFlush = Promise.resolve();
  const pathOf = (name: string) => join(folder, name);
  findPacks();

  /** Adds the packs on disk that are not known yet. */
  function findPacks(): void {
    const known = new Set(packs.map(({ name }) => name));
    const names = namesIn(folder).filter((name) => isPackName(name) && !known.has(name));
    packs.push(...names.flatMap((name) => openPack(pathOf(name), name) ?? []));
  }

  const has = (name: string) => added.has(name) || packs.some(({ records }) => records.has(name));

  function findOrRescan(name: string): FoundRecord | undefined {
    const found = find(name);
    if (found || !packs.some(({ isGone }) => isGone)) return found;
    // Another process has copied the records in use to a new pack, and removed the old one.
    packs = packs.filter(({ isGone }) => !isGone);
    findPacks();
    return find(name);
  }

  function find(name: string): FoundRecord | undefined {
    const compressed = added.get(name);
    const bytes = compressed && decompress(compressed, name);
    if (bytes) return { bytes };
    for (const pack of packs) {
      const record = pack.records.has(name) && readRecord(pathOf(pack.name), pack, name);
      if (record) return { bytes: record.bytes, pack };
    }
    return undefined;
  }

  /** Writes a pack. Until it is on disk, nothing relies on it. */
  async function writePack(
    compressed: ReadonlyMap<string, Buffer>,
    replaces: readonly string[] = [],
  ): Promise<void> {
    const { pack, content } = makePack(compressed, { written: date(), replaces });
    await writeAtomically(pathOf(pack.name), content, { flush: true });
    packs.unshift(pack);
  }

  async function writeAdded(): Promise<void> {
    if (added.size === 0) return;
    const batch = new Map(added);
    await writePack(batch);
    for (const [name, { length }] of batch) {
      added.delete(name);
      addedBytes -= sizeOf(name, length);
    }
  }

  function flush(): Promise<void> {
    lastFlush = lastFlush.catch(() => undefined).then(writeAdded);
    return lastFlush;
  }

  /** Copies the records in use of packs to new ones, each of which has all of those of a pack. */
  async function compact(outdated: ReadonlyMap<Pack, UsedRecords>): Promise<void> {
    let copies = new Map<string, Buffer>();
    let bytes = 0;
    let replaces: string[] = [];
    const writeCopies = async () => {
      if (copies.size > 0) await writePack(copies, replaces);
      copies = new Map();
      bytes = 0;
      replaces = [];
    };
    for (const [pack, { names }] of outdated) {
      for (const name of names) {
        const record = readRecord(pathOf(pack.name), pack, name);
        if (!record) continue;
        copies.set(name, record.compressed);
        bytes += sizeOf(name, record.compressed.length);
      }
      replaces.push(pack.name);
      if (bytes >= packBytes) await writeCopies();
    }
    await writeCopies();
  }

  /** Whether each record in use that a pack contains is intact in the pack that counts for it. */
  function isSuperfluous(pack: Pack, inUse: ReadonlyMap<Pack, UsedRecords>): boolean {
    return [...inUse].every(([other, { names }]) =>
      names.every((name) => !pack.records.has(name) || readRecord(pathOf(other.name), other, name)),
    );
  }

  return {
    has,
    flush,
    names: () => [...packs.flatMap(({ records }) => [...records.keys()]), ...added.keys()],
    read: (name) => findOrRescan(name)?.bytes,

    async write(name, bytes) {
      const known = findOrRescan(name);
      // Otherwise another build could remove its pack.
      if (known?.pack) touch(pathOf(known.pack.name), date(), date() - hour / 2);
      if (known) return;
      const compressed = compress(bytes);
      added.set(name, compressed);
      addedBytes += sizeOf(name, compressed.length);
      if (addedBytes >= packBytes) await flush();
    },

    async clean({ used, usedBefore = new Set(), since = Number.POSITIVE_INFINITY, grace }) {
      const now = date();
      const inUse = recordsInUse(packs, used);
      const inUseBefore = recordsInUse(packs, usedBefore);
      const replacements = replacementsOf(packs);
      for (const pack of packs) {
        const path = pathOf(pack.name);
        const replacement = replacements.get(pack.name);
        const isForgotten = now - Math.max(since, pack.written) > grace;
        if (inUse.has(pack)) touch(path, now, now - day);
        else if (inUseBefore.has(pack)) touch(path, now);
        else {
          const isExpired = isForgotten || (replacement && now - replacement.written > hour);
          const before = isExpired ? Number.POSITIVE_INFINITY : now - grace;
          removeOlder(path, before, () => isSuperfluous(pack, inUse));
        }
      }
      try {
        await compact(outdatedPacks(inUse, packBytes));
      } catch (error) {
        // The next load tries again.
        if (!(error instanceof ArticlesMirrorError)) throw error;
      }
    },
  };
}

interface FoundRecord {
  bytes: Buffer;
  /** Absent while it is only in memory. */
  pack?: Pack;
}

/** Returns the bytes that a record adds to a pack. */
function sizeOf(name: string, length: number): number {
  return length + name.length + rowBytes;
}
