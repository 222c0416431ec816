import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site } from '../helpers/site.ts';

let service: FixtureService;
let site: Site;

beforeEach(async () => {
  service = await startService({
    articles: [{ id: 1, title: 'One', content: 'A text to be found.', cover_image: null }],
  });
});
afterEach(async () => {
  await site.remove();
  await service.close();
});

const env = () => ({ ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey });

/** Prints the name of each chunk that holds the text of the article. */
const tell = `{
  name: 'tell',
  generateBundle(_, bundle) {
    for (const { fileName, code = '' } of Object.values(bundle))
      if (code.includes('A text to be found.')) console.log('found in ' + fileName);
  },
}`;
const page = (more = '') => `---
  import { getEntry, render } from 'astro:content';
  ${more}
  const { Content } = await render(await getEntry('articles', '1'));
  ---
  <Content />`;

describe.each([7, 6] as const)('with Astro %i', (astro) => {
  it('a static site reads the store from its file, and bundles no text', async () => {
    const files = { 'src/pages/one.astro': page() };
    site = await createSite({ astro, files, config: `vite: { plugins: [${tell}] },` });
    const { status, output } = await site.astro(['build'], env());
    expect(status, output).toBe(0);
    expect(output).not.toContain('found in');
    expect(await site.read('dist/one/index.html')).toContain('A text to be found.');
  });
});

it('a site with a server bundles the store, which then needs no file', async () => {
  const files = { 'src/pages/one.astro': page('export const prerender = false;') };
  const config = `adapter: node({ mode: 'standalone' }), vite: { plugins: [${tell}] },`;
  site = await createSite({ files, config });
  const source = await site.read('astro.config.mjs');
  await site.write('astro.config.mjs', `import node from '@astrojs/node';\n${source}`);
  const { status, output } = await site.astro(['build'], env());
  expect(status, output).toBe(0);
  expect(output).toContain('found in');
  await rm(join(site.root, 'node_modules/.astro'), { recursive: true });
  const server = await site.serve();
  try {
    expect(await (await fetch(`${server.url}/one/`)).text()).toContain('A text to be found.');
  } finally {
    await server.stop();
  }
});
