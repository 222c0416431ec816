import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { hash } from '../shared/hash.ts';
import { statIfExists, unlessMissing } from './files.ts';
import { parseJson } from './stored-article.ts';

// A pack is an immutable file of many records: four bytes with the length of the table, the table as JSON, and the
// compressed records in the same order. The length is below 2²⁴, so the first byte is zero, and Git treats the file
// as binary. The name of the file is the hash of the table. The name of a record ends in the hash of its bytes
// before compression.

const headBytes = 4;
const maxTableBytes = 2 ** 24;
/** The maximum size of a decompressed record in bytes. It limits what a crafted file can allocate. */
const maxRecordBytes = 2 ** 26;
const recordName = /^(?:[0-9a-f]{32}-)?[0-9a-f]{32}$/;
// The items are checked one by one, because zod would keep an issue for each of millions.
const tableSchema = z.object({
  written: z.number(),
  replaces: z.array(z.unknown()),
  records: z.array(z.unknown()),
});

export interface Pack {
  /** The name of the file. */
  name: string;
  /** When it was made, in ms since 1970. The time of the file may be that of a checkout or of a restored cache. */
  written: number;
  /** The names of packs whose records in use were copied to this one. */
  replaces: ReadonlySet<unknown>;
  /** The position of each record, except those found to be corrupt. */
  records: Map<string, { at: number; length: number }>;
  /** The length of all records in bytes. */
  recordBytes: number;
  /** Whether a record or the end of the file was found to be corrupt. Records that were not read are unchecked. */
  isCorrupt: boolean;
  /** Whether the file no longer existed when a record was read. */
  isGone?: boolean;
}

/** A record whose hash matches its name. */
export interface PackRecord {
  bytes: Buffer;
  compressed: Buffer;
}

export function isPackName(name: string): boolean {
  return /^[0-9a-f]{32}\.pack$/.test(name);
}

/** Returns a pack with the content of its file, which does not depend on the order of the records. */
export function makePack(
  compressed: ReadonlyMap<string, Buffer>,
  { written, replaces = [] }: { written: number; replaces?: readonly string[] },
): { pack: Pack; content: Buffer } {
  const sorted = [...compressed].sort(([a], [b]) => (a < b ? -1 : 1));
  const records = sorted.map(([name, { length }]) => [name, length]);
  const table = Buffer.from(JSON.stringify({ written, replaces: replaces.toSorted(), records }));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(table.length);
  const content = Buffer.concat([head, table, ...sorted.map(([, bytes]) => bytes)]);
  const pack = parsePack(packNameOf(table), table, content.length);
  if (!pack || table.length >= maxTableBytes) throw new Error('The table of a pack is not valid.');
  return { pack, content };
}

/**
 * Opens a pack, and reads its table; undefined when the file does not exist or is not a pack.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
 */
export function openPack(path: string, name: string): Pack | undefined {
  // A folder or a pipe with this name would make each load fail or wait.
  if (!statIfExists(path)?.isFile()) return undefined;
  return readFrom(path, (file) => {
    const head = readBytes(file, 0, headBytes);
    const length = head.length === headBytes ? head.readUInt32BE() : maxTableBytes;
    if (length >= maxTableBytes) return undefined;
    return parsePack(name, readBytes(file, headBytes, length), fstatSync(file).size);
  });
}

const packNameOf = (table: Buffer) => `${hash(table)}.pack`;

function parsePack(name: string, table: Buffer, size: number): Pack | undefined {
  if (packNameOf(table) !== name) return undefined;
  const found = tableSchema.safeParse(parseJson(table.toString())).data;
  if (!found) return undefined;
  const records: Pack['records'] = new Map();
  const start = headBytes + table.length;
  let at = start;
  for (const row of found.records) {
    const [record, length] = Array.isArray(row) ? row : [];
    if (typeof record !== 'string' || !recordName.test(record)) return undefined;
    if (!Number.isSafeInteger(length) || length < 0) return undefined;
    if (at + length <= size) records.set(record, { at, length });
    at += length;
  }
  const { written, replaces } = found;
  return {
    name,
    written,
    replaces: new Set(replaces),
    records,
    recordBytes: at - start,
    isCorrupt: at !== size,
  };
}

/**
 * Reads a record; undefined when the pack does not have it, or it is corrupt.
 *
 * @throws {ArticlesMirrorError} `mirror-unreadable` when it may be intact, but could not be read
 */
export function readRecord(path: string, pack: Pack, name: string): PackRecord | undefined {
  const place = pack.records.get(name);
  if (!place) return undefined;
  const compressed = readFrom(path, (file) => readBytes(file, place.at, place.length));
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
