import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { findPackages } from '../../../src/content/installed-packages.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

/**
 * Returns what is found of a site with these versions of sharp, by the folder that has them in its node_modules, and with
 * these other files.
 */
async function find(
  versions: Record<string, string>,
  { astro = 'site/node_modules/astro', files = [] as readonly string[] } = {},
) {
  const top = await temporaryFolder();
  const write = async (path: string, value: object) => {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), JSON.stringify(value));
  };
  for (const path of [`${astro}/package.json`, ...files]) await write(path, { name: 'astro' });
  const link = join(top, 'site/node_modules/astro');
  await mkdir(dirname(link), { recursive: true });
  if (join(top, astro) !== link) await symlink(join(top, astro), link, 'junction');
  for (const [folder, version] of Object.entries(versions))
    await write(`${folder}/node_modules/sharp/package.json`, { name: 'sharp', version });
  const url = (path: string) => pathToFileURL(join(top, path, '/'));
  const packages = findPackages({ root: url('site'), outDir: url('site/dist') });
  const namesOf = (paths: readonly string[]) => paths.map((path) => relative(top, path));
  return {
    sharp: packages.oldestSharp,
    lockFiles: namesOf(packages.lockFiles),
    renderers: namesOf(packages.renderers),
  };
}

it.each([
  ['that both use', { site: '0.34.5' }, '0.34.5'],
  ['of the folder above', { '.': '0.34.5' }, '0.34.5'],
  ['of builds', { site: '0.34.5', 'site/node_modules/astro': '0.35.5' }, '0.34.5'],
  ['of astro dev', { site: '0.35.10', 'site/node_modules/astro': '0.35.9' }, '0.35.9'],
  ['of Astro alone', { 'site/node_modules/astro': '0.35.5' }, '0.35.5'],
  ['that nothing of the site uses', { 'site/node_modules/other': '0.34.5' }, undefined],
])('finds the oldest sharp that Astro may load: the one %s', async (_, versions, expected) => {
  expect((await find(versions)).sharp).toBe(expected);
});

it('finds the sharp of an Astro that is linked from a store, as with pnpm', async () => {
  const folder = 'store/astro@6.4.0';
  const versions = { [folder]: '0.34.5', site: '0.35.5' };
  const { sharp } = await find(versions, { astro: `${folder}/node_modules/astro` });
  expect(sharp).toBe('0.34.5');
});

const locks = [
  ...['npm-shrinkwrap.json', 'package-lock.json', 'pnpm-lock.yaml'],
  ...['yarn.lock', 'bun.lock', 'bun.lockb'],
];
it.each(locks)('finds the lock file %s in the site or above it', async (name) => {
  for (const path of [`site/${name}`, name])
    expect((await find({}, { files: [path] })).lockFiles).toEqual([path]);
});

it('finds Astro, and what it renders Markdown with', async () => {
  const names = ['@astrojs/markdown-remark', '@astrojs/markdown-satteri', 'astro', 'shiki'];
  const pathOf = (name: string) => `site/node_modules/${name}/package.json`;
  const { renderers } = await find({}, { files: [...names, 'other'].map(pathOf) });
  expect(renderers.toSorted()).toEqual(names.map(pathOf));
});
