import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import * as z from 'zod';
import { hash } from '../shared/hash.ts';
import { parseJson } from '../shared/json-value.ts';
import { bestEffort, statIfExists, unlessMissing } from './files.ts';

// A pack is an immutable file of many records: four bytes with the length of the table, the table as JSON, and the
// records in the same order. The length is below 2²⁴, so the first byte is zero, and Git treats the file as binary. The
// name of the file is the hash of the table. The name of a record ends in the hash of its bytes.
//
// Records are not compressed, because Git and the caches of CI services compress whole files, which saves more.

const headBytes = 4;
// These limit the memory that a crafted file can claim. A pack is at most 8 MB and one record.
const maxTableBytes = 2 ** 24;
const maxPackBytes = 2 ** 27;
const recordName = z.string().regex(/^(?:[0-9a-f]{32}-)?[0-9a-f]{32}$/);
/** The name and the length of each record. */
const tableSchema = z.array(z.tuple([recordName, z.int().min(0)]));

/** A pack whose file is open: its records can be read after another process has removed the file. */
export interface Pack {
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
export function encodePack(records: ReadonlyMap<string, Buffer>) {
  const sorted = [...records].sort(([a], [b]) => (a < b ? -1 : 1));
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
  if (pack.name !== `${hash(table)}.pack`) return;
  const records: Pack['records'] = new Map();
  for (const [name, length] of tableSchema.safeParse(parseJson(table.toString())).data ?? []) {
    records.set(name, { at, length });
    at += length;
  }
  if (at === pack.size) pack.records = records;
}

/** Reads a record; undefined when the pack does not have it, or its bytes do not have the hash in its name. */
export function readRecord(pack: Pack, name: string): Buffer | undefined {
  const place = pack.records.get(name);
  if (!place) return undefined;
  const bytes = unlessMissing(pack.path, () => readPack(pack, place));
  if (bytes && name.endsWith(hash(bytes))) return bytes;
  pack.isCorrupt = pack.records.delete(name);
  return undefined;
}

/** Reads a part of a pack, by default all of it. There are fewer bytes where the file ends. */
export function readPack(pack: Pack, { at, length } = { at: 0, length: pack.size }): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(pack.file, bytes, 0, length, at));
}
