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
  { name: 'client', most: 40 * 1024 },
  { name: 'live', most: 160 * 1024 },
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

it('the app of the dev toolbar imports few files, because Vite serves each one', async () => {
  const app = "export { default } from './dist/integration/dev/toolbar-app.js';";
  const { files } = await bundle(app, ['browser']);
  expect(files.length).toBeLessThan(8);
  expect(files).toContain('dist/report/load-report.js');
});
