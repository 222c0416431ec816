import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { findPackages } from '../../../src/content/installed-packages.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

/** Returns the version of sharp that is found with these ones, by the folder that has them in its node_modules. */
async function found(versions: Record<string, string>, astro = 'site/node_modules/astro') {
  const top = await temporaryFolder();
  const write = async (path: string, value: object) => {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), JSON.stringify(value));
  };
  await write(`${astro}/package.json`, { name: 'astro' });
  const link = join(top, 'site/node_modules/astro');
  await mkdir(dirname(link), { recursive: true });
  if (join(top, astro) !== link) await symlink(join(top, astro), link, 'junction');
  for (const [folder, version] of Object.entries(versions))
    await write(`${folder}/node_modules/sharp/package.json`, { name: 'sharp', version });
  const url = (path: string) => pathToFileURL(join(top, path, '/'));
  return findPackages({ root: url('site'), outDir: url('site/dist') }).oldestSharp;
}

it.each([
  ['that both use', { site: '0.34.5' }, '0.34.5'],
  ['of the folder above', { '.': '0.34.5' }, '0.34.5'],
  ['of builds', { site: '0.34.5', 'site/node_modules/astro': '0.35.5' }, '0.34.5'],
  ['of astro dev', { site: '0.35.10', 'site/node_modules/astro': '0.35.9' }, '0.35.9'],
  ['of Astro alone', { 'site/node_modules/astro': '0.35.5' }, '0.35.5'],
  ['that nothing of the site uses', { 'site/node_modules/other': '0.34.5' }, undefined],
])('finds the oldest sharp that Astro may load: the one %s', async (_, versions, expected) => {
  expect(await found(versions)).toBe(expected);
});

it('finds the sharp of an Astro that is linked from a store, as with pnpm', async () => {
  const folder = 'store/astro@6.4.0';
  const versions = { [folder]: '0.34.5', site: '0.35.5' };
  expect(await found(versions, `${folder}/node_modules/astro`)).toBe('0.34.5');
});
