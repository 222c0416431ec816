import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { hash } from '../shared/hash.ts';
import { parseJson } from '../shared/json-value.ts';
import {
  bestEffort,
  namesIn,
  statIfExists,
  unlessMissing,
  unwritable,
  writeFile,
} from './files.ts';

// A pack is an immutable file of many records: four bytes with the length of the table, the table as JSON, and the
// compressed records in the same order. The length is below 2²⁴, so the first byte is zero, and Git treats the file
// as binary. The name of the file is the hash of the table. The name of a record ends in the hash of its bytes
// before compression.

const headBytes = 4;
// These limit the memory that a crafted file can claim. A pack is at most 8 MB and one record.
const maxTableBytes = 2 ** 24;
const maxPackBytes = 2 ** 27;
const maxRecordBytes = 2 ** 26;
const recordName = /^(?:[0-9a-f]{32}-)?[0-9a-f]{32}$/;

/** A pack whose file is open: its records can be read after another process has removed the file. */
interface Pack {
  name: string;
  path: string;
  /** The descriptor, and the size in bytes. */
  file: number;
  size: number;
  /** The position of each record, except those found to be corrupt. */
  records: Map<string, { at: number; length: number }>;
  /** Whether a record was found to be corrupt. Records that were not read are unchecked. */
  isCorrupt?: boolean;
}

/** Returns the name and the content of a pack, which do not depend on the order of the records. */
export function encodePack(compressed: ReadonlyMap<string, Buffer>) {
  const sorted = [...compressed].sort(([a], [b]) => (a < b ? -1 : 1));
  const table = Buffer.from(JSON.stringify(sorted.map(([name, { length }]) => [name, length])));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(table.length);
  const content = Buffer.concat([head, table, ...sorted.map(([, bytes]) => bytes)]);
  return { name: `${hash(table)}.pack`, content };
}

/** Opens a pack. Returns undefined if the file is missing or not a valid pack, or if it is a folder, a pipe or a link. */
export function openPack(path: string): Pack | undefined {
  if (!statIfExists(path)?.isFile()) return undefined;
  return unlessMissing(path, () => {
    const file = openSync(path, 'r');
    const pack: Pack = { name: basename(path), path, file, size: 0, records: new Map() };
    try {
      readTable(pack);
    } finally {
      if (pack.records.size === 0) bestEffort(() => closeSync(file));
    }
    return pack.records.size === 0 ? undefined : pack;
  });
}

/** Reads the size and the table of a pack. What they claim is checked before memory is used. */
function readTable(pack: Pack): void {
  pack.size = fstatSync(pack.file).size;
  if (pack.size < headBytes || pack.size > maxPackBytes) return;
  const length = readPack(pack, { at: 0, length: headBytes }).readUInt32BE();
  let at = headBytes + length;
  if (length >= maxTableBytes || at > pack.size) return;
  const table = readPack(pack, { at: headBytes, length });
  const rows = pack.name === `${hash(table)}.pack` ? parseJson(table.toString()) : undefined;
  const records: Pack['records'] = new Map();
  for (const row of Array.isArray(rows) ? rows : []) {
    const [name, length] = Array.isArray(row) ? row : [];
    if (typeof name !== 'string' || !recordName.test(name)) return;
    if (!Number.isSafeInteger(length) || length < 0) return;
    records.set(name, { at, length });
    at += length;
  }
  if (at === pack.size) pack.records = records;
}

/** Reads a record; undefined when the pack does not have it, or it is corrupt. */
export function readRecord(pack: Pack, name: string) {
  const place = pack.records.get(name);
  const read = () => place && decodeRecord(readPack(pack, place), name);
  const record = unlessMissing(pack.path, read);
  if (place && !record) pack.isCorrupt = pack.records.delete(name);
  return record;
}

/** Returns the bytes of a compressed record; undefined when they do not have the hash in its name. */
function decodeRecord(compressed: Buffer, name: string) {
  try {
    const bytes = inflateRawSync(compressed, { maxOutputLength: maxRecordBytes });
    return name.endsWith(hash(bytes)) ? { bytes, compressed } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a part of a pack, by default all of it. There are fewer bytes where the file ends. */
function readPack(pack: Pack, { at, length } = { at: 0, length: pack.size }): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  for (let read = -1; read !== 0 && done < length; done += read) {
    read = readSync(pack.file, bytes, done, length - done, at + done);
  }
  return bytes.subarray(0, done);
}

export type PackFolder = ReturnType<typeof openPackFolder>;

/** The maximum number of packs smaller than half of `packBytes`. Each load with a change adds one. */
const maxSmallPacks = 8;

/**
 * Opens a folder of records that never change, in packs of about `packBytes`. A file per record would be slow to create,
 * and slow to restore from the cache of a CI service.
 *
 * All packs that are there stay open. So each process may remove those that its index does not need: another one that
 * needs them reads its open files, and writes them again in its own commit.
 */
export function openPackFolder(folder: string, packBytes = 8_000_000) {
  const packs = new Map<string, Pack>();
  /** Compressed records that are in no pack yet. */
  const added = new Map<string, Buffer>();
  let addedBytes = 0;

  try {
    for (const name of namesIn(folder)) {
      const pack = /^[0-9a-f]{32}\.pack$/.test(name) && openPack(join(folder, name));
      if (pack) packs.set(name, pack);
    }
  } catch (error) {
    close();
    throw error;
  }

  function close(): void {
    for (const { file } of packs.values()) bestEffort(() => closeSync(file));
    packs.clear();
  }

  /** Finds an intact copy of a record. */
  function find(name: string) {
    const compressed = added.get(name);
    if (compressed) return decodeRecord(compressed, name);
    for (const pack of packs.values()) {
      const record = readRecord(pack, name);
      if (record) return record;
    }
    return undefined;
  }

  function add(name: string, compressed: Buffer): void {
    added.set(name, compressed);
    addedBytes += sizeOf(name, compressed);
    if (addedBytes >= packBytes) flush();
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
      writeFile(path, content, { flush: true });
      pack = openPack(path);
    }
    if (!pack) throw unwritable(path, 'another program removed it');
    if (former) bestEffort(() => closeSync(former.file));
    packs.set(name, pack);
    added.clear();
    addedBytes = 0;
  }

  return {
    /** Whether there is a record. It may be corrupt. */
    has: (name: string): boolean =>
      added.has(name) || [...packs.values()].some(({ records }) => records.has(name)),

    /** The open packs, by the names of their files. */
    packs: packs as ReadonlyMap<string, unknown>,

    /** Reads a record; undefined when it is missing or corrupt. */
    read: (name: string): string | undefined => find(name)?.bytes.toString(),

    /**
     * Adds a record, unless an intact one exists. It stays in memory until there are enough for a pack, or `arrange()`.
     *
     * @param key the hash of what the text was made of, if another one may have the same text
     * @returns its name
     */
    write(text: string, key?: string): string {
      const name = key === undefined ? hash(text) : `${key}-${hash(text)}`;
      // Level 1 needs half the time of the default for an eighth more bytes.
      if (!find(name)) add(name, deflateRawSync(text, { level: 1 }));
      return name;
    },

    flush,

    /**
     * Writes the records that are only in memory, and copies the used ones of packs that are corrupt, mostly unused, or
     * small and many. Returns the names of the packs with the used records: those of the last index before others.
     */
    arrange(used: ReadonlySet<string>, indexed: readonly string[]): string[] {
      flush();
      const left = new Set(used);
      const all = [...packs.values()];
      const first = all.filter(({ name }) => indexed.includes(name));
      const inUse = [...first, ...all].flatMap((pack) => {
        const found = [...pack.records].filter(([name]) => left.delete(name));
        const bytes = found.reduce((sum, [name, place]) => sum + sizeOf(name, place), 0);
        return found.length > 0 ? { pack, names: found.map(([name]) => name), bytes } : [];
      });
      const small = inUse.filter(({ bytes }) => bytes < packBytes / 2);
      const joined = small.length > maxSmallPacks ? small : [];
      const outdated = inUse.filter(
        (each) => joined.includes(each) || each.pack.isCorrupt || each.bytes < each.pack.size / 2,
      );
      for (const name of outdated.flatMap(({ names }) => names)) {
        const record = find(name);
        if (record) add(name, record.compressed);
      }
      flush();
      const kept = inUse.filter((each) => !outdated.includes(each)).map(({ pack }) => pack);
      const written = [...packs.values()].filter((pack) => !all.includes(pack));
      return [...kept, ...written].map(({ name }) => name).sort();
    },

    /** Writes those of the packs again that another process has removed. The next load fetches what is missing. */
    restore(names: readonly string[]): void {
      for (const pack of packs.values()) {
        if (names.includes(pack.name) && !statIfExists(pack.path)) {
          bestEffort(() => writeFile(pack.path, readPack(pack), { flush: true }));
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
