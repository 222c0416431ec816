import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site } from '../helpers/site.ts';

const rendered = 'node_modules/.astro/astro-articles/articles/rendered';
let service: FixtureService;
let site: Site;

beforeAll(async () => {
  const articles = [{ id: 1, title: 'One', content: '```js\n1\n```', cover_image: null }];
  service = await startService({ articles });
});
afterEach(() => site.remove());
afterAll(() => service.close());

async function build(args: string[] = []): Promise<{ html: string; kept: string[] }> {
  const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
  const { status, output } = await site.astro(['build', ...args], env);
  expect(status, output).toBe(0);
  const [entry] = await site.entries();
  return { html: entry?.html ?? '', kept: await site.list(rendered) };
}

/** A Shiki transformer that puts a word on every block of code. */
const transformer = (word: string) =>
  `export default { pre(node) { node.properties.title = ${JSON.stringify(word)}; } };`;
const withPlugin = (from: string) => ({
  'settings.ts': `export { default as transformer } from '${from}';`,
  'astro.config.mjs': `
    import { defineConfig } from 'astro/config';
    import articles from 'astro-articles';
    import { transformer } from './settings.ts';
    export default defineConfig({
      integrations: [articles()],
      markdown: { shikiConfig: { transformers: [transformer] } },
    });`,
});

it('a plugin that is edited is met by no reader in its older form, however the config imports it', async () => {
  site = await createSite({
    files: { ...withPlugin('./plugins/mark'), 'plugins/mark.ts': transformer('first') },
  });
  const first = await build();
  expect(first.html).toContain('title="first"');
  expect((await build()).kept).toEqual(first.kept);

  await site.write('plugins/mark.ts', transformer('second'));
  const second = await build();
  expect(second.html).toContain('title="second"');
  expect(second.kept).not.toEqual(first.kept);
});

it('a plugin of a linked package counts like a file of the site', async () => {
  site = await createSite({
    files: {
      ...withPlugin('linked-mark'),
      'linked/package.json':
        '{"name":"linked-mark","type":"module","exports":"./index.js","files":["lib/**/*.js"]}',
      'linked/index.js': `export { default } from './mark.js';`,
      'linked/mark.js': transformer('first'),
    },
  });
  const link = join(site.root, 'node_modules/linked-mark');
  await mkdir(dirname(link), { recursive: true });
  await symlink('../linked', link);
  expect((await build()).html).toContain('title="first"');
  await site.write('linked/mark.js', transformer('second'));
  expect((await build()).html).toContain('title="second"');
});

it.each([
  ['an import that is computed', `import('./plugins/' + name + '.mjs')`],
  ['an import of a variable', 'import(new URL("plugins/mark.mjs", import.meta.url))'],
])('a plugin behind %s is asked again in every build', async (_, imported) => {
  site = await createSite({
    files: {
      'plugins/mark.mjs': transformer('first'),
      'astro.config.mjs': `
        import { defineConfig } from 'astro/config';
        import articles from 'astro-articles';
        const name = 'mark';
        const { default: transformer } = await ${imported};
        export default defineConfig({
          integrations: [articles()],
          markdown: { shikiConfig: { transformers: [transformer] } },
        });`,
    },
  });
  const first = await build();
  expect((await build()).kept).not.toEqual(first.kept);
  await site.write('plugins/mark.mjs', transformer('second'));
  expect((await build()).html).toContain('title="second"');
});

it('--force renders again', async () => {
  site = await createSite();
  const first = await build();
  expect((await build()).kept).toEqual(first.kept);
  expect((await build(['--force'])).kept).not.toEqual(first.kept);
  await rm(join(site.root, rendered), { recursive: true });
  expect((await build()).kept).toEqual(first.kept);
});
