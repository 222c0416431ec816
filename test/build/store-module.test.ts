import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { storeFileOf, storeFromFile } from '../../src/integration/store-module.ts';
import { createSite, type Site } from '../helpers/site.ts';

let service: FixtureService;
let site: Site;

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

describe('a build', () => {
  beforeEach(async () => {
    service = await startService({
      articles: [{ id: 1, title: 'One', content: 'A text to be found.', cover_image: null }],
    });
  });
  afterEach(async () => {
    await site.remove();
    await service.close();
  });

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

  it('articles that Astro keeps elsewhere are not taken from an older file', async () => {
    const files = { 'src/pages/one.astro': page() };
    site = await createSite({ files, config: 'experimental: {},' });
    expect((await site.astro(['build'], env())).status).toBe(0);

    service.change('1', { content: 'A newer text.' });
    const source = await site.read('astro.config.mjs');
    const chunked = source.replace(
      'experimental: {}',
      "experimental: { collectionStorage: 'chunked' }",
    );
    await site.write('astro.config.mjs', chunked);
    const { status, output } = await site.astro(['build'], env());
    expect(status, output).toBe(0);
    expect(await site.read('dist/one/index.html')).toContain('A newer text.');
  });

  it('a build that cannot read the file fails instead of publishing no articles', async () => {
    const lose = `{
      name: 'lose',
      applyToEnvironment: ({ name }) => name === 'prerender',
      writeBundle: () => rmSync('node_modules/.astro/data-store.json'),
    }`;
    const files = { 'src/pages/one.astro': page() };
    site = await createSite({ files, config: `vite: { plugins: [${lose}] },` });
    const source = await site.read('astro.config.mjs');
    await site.write('astro.config.mjs', `import { rmSync } from 'node:fs';\n${source}`);
    const { status, output } = await site.astro(['build'], env());
    expect(status).toBe(1);
    expect(output).toContain('The content store could not be read');
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
});

describe('a module of Astro’s', () => {
  let folder: string;
  let file: URL;
  const store = '[["Map",1],"\u2028 \\" an older text"]';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
    file = pathToFileURL(join(folder, 'data-store.json'));
    await writeFile(file, store);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** What becomes of it, asked for as Vite asks. */
  function handlers(astro: string, more = {}) {
    const config = { cacheDir: new URL('.', file), experimental: {}, ...more } as AstroConfig;
    const { load, transform } = storeFromFile(() => storeFileOf(config, astro)) as unknown as {
      load: { handler(): unknown };
      transform: { handler(code: string): unknown };
    };
    return { load: load.handler, transform: transform.handler };
  }
  const quoted = (text: string) => `export default JSON.parse(${JSON.stringify(text)})`;
  const read = () => ({ code: expect.stringContaining(file.href) });

  it.each(['6.4.8', '7.0.0', '7.3.5'])('is not asked for with Astro %s', (astro) => {
    expect(handlers(astro).load()).toMatchObject(read());
  });

  it.each([
    ['7.4.0', {}],
    ['8.0.0', {}],
    ['', {}],
    ['7.3.5', { experimental: { collectionStorage: { chunkSize: 1_000_000 } } }],
  ])('has to hold what the file holds with Astro %s %j', (astro, more) => {
    const { load, transform } = handlers(astro, more);
    expect(load()).toBeUndefined();
    expect(transform(quoted(store))).toMatchObject(read());
    expect(transform(quoted(store.replace('older', 'newer')))).toBeUndefined();
    expect(transform('export default {"articles":[(await import("a"))]}')).toBeUndefined();
  });

  it('stays as it is where an adapter is set', () => {
    const { load, transform } = handlers('7.3.5', { adapter: {} });
    expect(load()).toBeUndefined();
    expect(transform(quoted(store))).toBeUndefined();
  });
});
