import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { hash } from '../shared/hash.ts';
import { unlessMissing } from './files.ts';
import { parseJson } from './stored-article.ts';

// A pack is a file of many records, and never changes. It begins with the length of its table in four bytes, of
// which the first is zero, so that Git takes the file for binary. The table is JSON and names the records, which
// follow it in the same order. The name of the file is the hash of the table, and the name of a record ends in
// the hash of its bytes before compression.

const headBytes = 4;
/** The maximum size of a record: a file that others can change must not fill the memory. */
const maxRecordBytes = 256_000_000;
const packName = z.string().regex(/^[0-9a-f]{32}\.pack$/);
const recordName = z.string().regex(/^(?:[0-9a-f]{32}-)?[0-9a-f]{32}$/);
const tableSchema = z.object({
  /** Packs whose used records were copied to this one. */
  replaces: z.array(packName),
  /** The name of each record, and its length in the file. */
  records: z.array(z.tuple([recordName, z.int().min(0)])),
});

export interface Pack {
  /** The name of the file. */
  name: string;
  replaces: readonly string[];
  /** The places of its records, without those that were found to be corrupt. */
  records: Map<string, { at: number; length: number }>;
  /** The length of all records. */
  bytes: number;
  /** Whether a part of it is missing or corrupt. */
  isCorrupt: boolean;
  /** Whether the file no longer existed when a record was read. */
  isGone?: boolean;
  /** The bytes of the file, until it is written. */
  content?: Buffer | undefined;
}

/** A record with the hash that its name says. */
export interface PackRecord {
  bytes: Buffer;
  compressed: Buffer;
}

export function isPackName(name: string): boolean {
  return packName.safeParse(name).success;
}

/** Makes a pack that is not written yet. Equal records give equal bytes, in any order. */
export function makePack(compressed: ReadonlyMap<string, Buffer>, replaces: string[]): Pack {
  const sorted = [...compressed].sort(([a], [b]) => (a < b ? -1 : 1));
  const records = sorted.map(([name, { length }]) => [name, length]);
  const table = Buffer.from(JSON.stringify({ replaces: replaces.toSorted(), records }));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(table.length);
  const content = Buffer.concat([head, table, ...sorted.map(([, bytes]) => bytes)]);
  return { ...packOf(nameOf(table), table, content.length), content };
}

/**
 * Opens a pack, and reads its table; undefined when the file does not exist.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
 */
export function openPack(path: string, name: string): Pack | undefined {
  return readFrom(path, (file) => {
    const { size } = fstatSync(file);
    const head = readBytes(file, 0, headBytes);
    const length = head.length < headBytes ? 0 : Math.min(head.readUInt32BE(), size);
    return packOf(name, readBytes(file, headBytes, length), size);
  });
}

const nameOf = (table: Buffer) => `${hash(table)}.pack`;

function packOf(name: string, table: Buffer, size: number): Pack {
  const found = nameOf(table) === name ? parseJson(table.toString()) : undefined;
  const { replaces, records: rows } = tableSchema.safeParse(found).data ?? empty;
  const records: Pack['records'] = new Map();
  const start = headBytes + table.length;
  let at = start;
  for (const [record, length] of rows) {
    if (at + length <= size) records.set(record, { at, length });
    at += length;
  }
  return { name, replaces, records, bytes: at - start, isCorrupt: at !== size };
}

const empty: z.infer<typeof tableSchema> = { replaces: [], records: [] };

/**
 * Reads a record; undefined when the pack does not have it, or it is corrupt.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
 */
export function readRecord(path: string, pack: Pack, name: string): PackRecord | undefined {
  const place = pack.records.get(name);
  if (!place) return undefined;
  const { at, length } = place;
  const compressed =
    pack.content?.subarray(at, at + length) ??
    readFrom(path, (file) => readBytes(file, at, length));
  const bytes = compressed && decompress(compressed, name);
  if (bytes) return { bytes, compressed };
  if (compressed) {
    pack.records.delete(name);
    pack.isCorrupt = true;
  } else {
    pack.isGone = true;
  }
  return undefined;
}

/** Compresses a record with level 1, which needs half the time of the default for an eighth more bytes. */
export const compress = (bytes: string | Uint8Array) => deflateRawSync(bytes, { level: 1 });

/** Returns the bytes of a compressed record; undefined when they do not have the hash in its name. */
export function decompress(compressed: Buffer, name: string): Buffer | undefined {
  try {
    const bytes = inflateRawSync(compressed, { maxOutputLength: maxRecordBytes });
    return name.endsWith(hash(bytes)) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function readFrom<T>(path: string, read: (file: number) => T): T | undefined {
  return unlessMissing(path, () => {
    const file = openSync(path, 'r');
    try {
      return read(file);
    } finally {
      closeSync(file);
    }
  });
}

/** Reads bytes of a file: fewer where it ends. */
function readBytes(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, at + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}
