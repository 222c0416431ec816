import { closeSync, existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openPack, readRecord } from '../../src/mirror/pack.ts';
import { hash } from '../../src/shared/hash.ts';

// All knowledge of tests about the layout of a mirror.

/** Returns the folder of the only mirror of the collection "articles". */
export async function findMirror(parent: string): Promise<string> {
  const names = await readdir(parent).catch((): string[] => []);
  const [folder, ...others] = names
    .filter((name) => /^articles-[0-9a-f]+$/.test(name))
    .map((name) => join(parent, name))
    .filter((path) => existsSync(indexFile(path)));
  if (!folder) throw new Error(`There is no mirror in ${parent}.`);
  if (others.length > 0) throw new Error(`There are ${others.length + 1} mirrors in ${parent}.`);
  return folder;
}

export const indexFile = (mirror: string) => join(mirror, 'index.json');

export const pathsFile = (mirror: string) => join(mirror, 'paths.jsonl');

/** Lists the packs of a mirror. */
export async function packsOf(mirror: string): Promise<string[]> {
  const names = await readdir(mirror);
  const packs = names.filter((name) => name.endsWith('.pack'));
  return packs.toSorted().map((name) => join(mirror, name));
}

/** Lists the records of packs. */
export function recordsOf(packs: readonly string[]): PackedRecord[] {
  return packs.flatMap((path) => {
    const pack = openPack(path);
    if (!pack) return [];
    const records = [...pack.records].flatMap(([name, place]) => {
      const record = readRecord(pack, name);
      return record ? [{ path, name, ...place, text: record.toString() }] : [];
    });
    closeSync(pack.file);
    return records;
  });
}

/** Lists the renderings of a mirror. */
export async function renderingsOf(mirror: string): Promise<PackedRecord[]> {
  return recordsOf(await packsOf(mirror)).filter(({ name }) => name.includes('-'));
}

export interface PackedRecord {
  /** The file of its pack, and its place in it. */
  path: string;
  at: number;
  length: number;
  name: string;
  text: string;
}

/** Changes bytes in the middle of records, as a bad disk does. */
export async function corrupt(records: readonly PackedRecord[]): Promise<void> {
  for (const { path, at, length } of records) {
    const bytes = await readFile(path);
    const middle = at + Math.floor(length / 2);
    bytes.fill(~(bytes[middle] ?? 0), middle, middle + 4);
    await writeFile(path, bytes);
  }
}

/** Corrupts the text of an article in a mirror. */
export async function corruptArticle(mirror: string, id: string): Promise<void> {
  const records = recordsOf(await packsOf(mirror));
  const found = records.filter(({ text }) => text.includes(`"id":${JSON.stringify(id)},"title":`));
  if (found.length === 0) throw new Error(`The mirror has no text of the article ${id}.`);
  await corrupt(found);
}

/** Changes the index as an attacker would, with a matching hash. */
export async function rewriteIndex(
  mirror: string,
  change: (index: IndexContent) => void,
): Promise<void> {
  const file = JSON.parse(await readFile(indexFile(mirror), 'utf8'));
  change(file.index);
  file.hash = hash(JSON.stringify(file.index));
  await writeFile(indexFile(mirror), JSON.stringify(file));
}

/** Returns an index without the time of its last load, and without the hash. */
export function timelessIndex(text: string): string {
  return text.replace(/"syncedAt": ?\d+/, '"syncedAt":0').replace(/"hash": ?"[^"]*"/, '"hash":""');
}

/** Lists all files below a folder, as paths with slashes from there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted();
}

/** The files below a folder with their bytes, by path. */
export async function filesIn(folder: string): Promise<Map<string, string>> {
  const paths = await filesBelow(folder);
  const read = (path: string) => readFile(join(folder, path), 'latin1');
  return new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
}

interface IndexContent {
  syncedAt?: number;
  articles: { id: string; record: string; renderings: { name: string }[] }[];
  images: { url: string; file: string }[];
  packs: string[];
}
