import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import { expect, it } from 'vitest';
import { findFiles } from '../../../src/content/site-files.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const endings =
  'astro md mdx mdoc markdown css sass scss less styl png apng jpg jpeg gif webp avif svg ico bmp tif tiff mp3 mp4 ' +
  'm4a m4v mov webm ogg ogv wav flac woff woff2 otf ttf pdf log';
const uncounted = [
  ...endings.split(' ').map((ending) => `a.${ending}`),
  ...['a.PNG', 'a.b.svg', '.env', '.env.local', '.envrc', 'public/a.ts', 'dist/a.ts', '.git/a.ts'],
  ...['node_modules/a.ts', 'a/node_modules/b.ts', 'a-0123456789ab/a.ts', '-0123456789ab/a.ts'],
];
const counted = [
  ...[
    'a.ts',
    'a.json',
    'name',
    'md',
    'a.md.ts',
    'a.svgz',
    'a.pn',
    'a.xlog',
    'x.env',
    'a.mp5',
    'a.sbss',
  ],
  ...['.npmrc', 'b.md/b.ts', 'node_modules2/a.ts', 'my_node_modules/a.ts', 'node_modules.ts'],
  ...['a-0123456789abc/a.ts', 'a-0123456789/a.ts', 'a0123456789ab/a.ts', 'a-0123456789ag/a.ts'],
  ...['b/public/a.ts'],
];

it('finds code and data, and neither pages nor what a build makes', async () => {
  const root = await temporaryFolder();
  for (const path of [...uncounted, ...counted, 'ignored/a.ts']) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), '');
  }
  const url = (path: string) => pathToFileURL(join(root, path, '/'));
  const config = { publicDir: url('public'), outDir: url('dist'), cacheDir: url('.cache') };
  const found = findFiles(root, config as AstroConfig, ['ignored/']);
  expect(found.map((path) => relative(root, path))).toEqual(counted.toSorted());
});

it('finds the files of packages that are linked by any kind of dependency, and their own', async () => {
  const top = await temporaryFolder();
  const root = join(top, 'site');
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  const depending = (name: string) => kinds.map((kind) => [kind, { [`${kind}-${name}`]: '*' }]);
  const packages = kinds.flatMap((kind) => [`${kind}-1`, `${kind}-2`]);
  const files = {
    'site/package.json': Object.fromEntries(depending('1')),
    ...Object.fromEntries(packages.map((name) => [`packages/${name}/package.json`, {}])),
    'packages/dependencies-1/package.json': Object.fromEntries(depending('2')),
  };
  const unused = { 'packages/unused/package.json': {} };
  for (const [path, value] of Object.entries({ ...files, ...unused })) {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), JSON.stringify(value));
  }
  await mkdir(join(top, 'node_modules'));
  for (const name of [...packages, 'unused'])
    await symlink(join(top, 'packages', name), join(top, 'node_modules', name), 'junction');
  const url = (path: string) => pathToFileURL(join(root, path, '/'));
  const config = { publicDir: url('public'), outDir: url('dist'), cacheDir: url('.cache') };
  const found = findFiles(root, config as AstroConfig, []).map((path) => relative(top, path));
  expect(found).toEqual(Object.keys(files).toSorted());
});
