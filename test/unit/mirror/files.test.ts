import { mkdir, readFile as read, readdir, writeFile as write } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { namesIn, readFile, removeFiles, setAside, writeFile } from '../../../src/mirror/files.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

let folder: string;

beforeEach(async () => {
  folder = join(await temporaryFolder(), 'a.json.b');
  await mkdir(folder);
});

it('replaces a file, and creates its folders', async () => {
  const path = join(folder, 'new', 'index.json');
  for (const content of ['one', 'two']) {
    writeFile(path, content);
    expect(await read(path, 'utf8')).toBe(content);
  }
  expect(namesIn(join(folder, 'new'))).toEqual(['index.json']);
});

it('reads a file that exists, and refuses what another program has put in its place', async () => {
  await write(join(folder, 'a'), 'text');
  expect(String(readFile(join(folder, 'a')))).toBe('text');
  expect(readFile(join(folder, 'b'))).toBeUndefined();
  expect(() => readFile(folder)).toThrow('is a file of another program');
});

it.each([
  ['index.json', 'index.broken.json'],
  ['paths.jsonl', 'paths.broken.jsonl'],
])('sets %s aside as %s', async (name, other) => {
  await write(join(folder, name), 'text');
  setAside(join(folder, name));
  setAside(join(folder, name));
  expect(await readdir(folder)).toEqual([other]);
});

it('removes unused and temporary files', async () => {
  const id = 'a0b1c2d3-e4f5-6789-abcd-ef0123456789';
  const temporary = `index.json.articles-${id}.tmp`;
  const others = [`${temporary}.txt`, `x.articles-${id.slice(1)}.tmp`, 'x.articles-.tmp', 'used'];
  for (const name of [temporary, 'unused', ...others]) await write(join(folder, name), '');
  removeFiles(folder, (name) => name === 'unused');
  expect(namesIn(folder)).toEqual(others.toSorted());
  expect(namesIn(join(folder, 'missing'))).toEqual([]);
});
