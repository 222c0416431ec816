import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { openPack, readRecord } from '../../src/mirror/pack.ts';
import { hash } from '../../src/shared/hash.ts';

// All knowledge of tests about the layout of a mirror.

/** Returns the folders of a collection's mirrors, one for each service that it was loaded from. */
export async function findMirrors(parent: string, collection = 'articles'): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => name === collection || isHashed(name, collection));
  const folders = names.map((name) => join(parent, name));
  const mirrors = await Promise.all(
    folders.map(async (folder) => ((await exists(join(folder, 'index.json'))) ? [folder] : [])),
  );
  return mirrors.flat().toSorted();
}

/** Returns the folder of a collection's only mirror. */
export async function findMirror(parent: string, collection?: string): Promise<string> {
  const [folder, ...others] = await findMirrors(parent, collection);
  if (!folder) throw new Error(`There is no mirror in ${parent}.`);
  if (others.length > 0) throw new Error(`There are ${others.length + 1} mirrors in ${parent}.`);
  return folder;
}

export const indexFile = (mirror: string) => join(mirror, 'index.json');

/** Lists the files of a folder of a mirror: packs of articles or renderings, or images. */
export async function filesOf(
  mirror: string,
  kind: 'articles' | 'images' | 'rendered',
): Promise<string[]> {
  const folder = join(mirror, kind);
  const names = await readdir(folder).catch(() => []);
  return names.toSorted().map((name) => join(folder, name));
}

/** Lists the records of packs: articles or renderings. */
export function recordsOf(packs: readonly string[]): PackedRecord[] {
  return packs.flatMap((path) => {
    const pack = openPack(path, basename(path));
    if (!pack) return [];
    return [...pack.records].flatMap(([name, place]) => {
      const record = readRecord(path, pack, name);
      return record ? [{ path, name, ...place, text: record.bytes.toString() }] : [];
    });
  });
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
  const records = recordsOf(await filesOf(mirror, 'articles'));
  const found = records.filter(({ text }) => Object(JSON.parse(text)).id === id);
  if (found.length === 0) throw new Error(`The mirror has no text of the article ${id}.`);
  await corrupt(found);
}

/** Whether a later load can write a file again: renderings, or the list of verified images. */
export function isDerived(name: string): boolean {
  return name.includes('rendered/') || name.endsWith('verified.json');
}

/** Reads the index, without the line with its hash. */
export async function readIndex(mirror: string): Promise<IndexContent> {
  return JSON.parse((await readFile(indexFile(mirror), 'utf8')).replace(/.*\n/, ''));
}

/** Changes the index as an attacker would, with a matching hash. */
export async function rewriteIndex(
  mirror: string,
  change: (index: IndexContent) => void,
): Promise<void> {
  const index = await readIndex(mirror);
  change(index);
  const [head = ''] = (await readFile(indexFile(mirror), 'utf8')).split('\n');
  const text = JSON.stringify(index);
  const hashed = JSON.stringify({ ...JSON.parse(head), hash: hash(text) });
  await writeFile(indexFile(mirror), `${hashed}\n${text}\n`);
}

/** Returns an index without the time of its last load, and without the hash. */
export function timelessIndex(text: string): string {
  return text.replace(/"syncedAt": \d+/, '"syncedAt": 0').replace(/"hash":"[^"]*"/, '"hash":""');
}

/** Sets the time of files into the past, so that a clean-up removes unused ones. */
export async function age(files: readonly string[], hours: number): Promise<void> {
  const past = new Date(Date.now() - hours * 3_600_000);
  await Promise.all(files.map((file) => utimes(file, past, past)));
}

/** Lists all files below a folder, as paths with slashes from there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted();
}

interface IndexContent {
  articles: { id: string; object: string }[];
  images: { url: string; file: string }[];
}

function isHashed(name: string, collection: string): boolean {
  return name.startsWith(`${collection}-`) && /^[0-9a-f]+$/.test(name.slice(collection.length + 1));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
