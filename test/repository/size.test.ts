import { describe, expect, it } from 'vitest';
import { bundle } from '../helpers/bundle.ts';

const hosts = [
  [['workerd', 'worker']],
  [['edge-light', 'worker']],
  [['deno', 'worker']],
  [['browser']],
  [['node']],
];
const modules = [
  { name: 'client', most: 36 * 1024 },
  { name: 'live', most: 164 * 1024 },
  { name: 'webhook', most: 8 * 1024 },
];

describe.each(modules)('astro-articles/$name', ({ name, most }) => {
  it.each(hosts)('for %j imports nothing, and stays small', async (conditions) => {
    const { imports, size } = await bundle(`export * from './dist/${name}/index.js';`, conditions);
    console.log(`${name}, for ${conditions.join(', ')}: ${Math.round(size / 1024)} KiB gzipped`);
    expect(imports).toEqual([]);
    expect(size).toBeLessThan(most);
  });
});

/** What pages import of the package, with the most KiB of it in a server bundle, gzipped. */
const imported = [
  { names: 'withBody', from: 'index', most: 2 },
  { names: 'getArticles', from: 'index', most: 2 },
  { names: 'cacheKey', from: 'index', most: 2 },
  { names: 'feedItems', from: 'feed/index', most: 60 },
];

it.each(imported)('a bundle with $names has at most $most KiB of the package', async (each) => {
  const { names, from, most } = each;
  const { size } = await bundle(`export { ${names} } from './dist/${from}.js';`, ['node']);
  console.log(`${names}: ${(size / 1024).toFixed(1)} KiB gzipped`);
  expect(size).toBeLessThan(most * 1024);
});

it('the app of the dev toolbar imports few files, because Vite serves each one', async () => {
  const app = "export { default } from './dist/integration/dev/toolbar-app.js';";
  const { files } = await bundle(app, ['browser']);
  expect(files.length).toBeLessThan(8);
  expect(files).toContain('dist/report/summary.js');
});
