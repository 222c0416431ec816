import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site } from '../helpers/site.ts';

let service: FixtureService;
let site: Site;

beforeAll(async () => {
  const articles = [{ id: 1, title: 'One', content: '```js\n1\n```', cover_image: null }];
  service = await startService({ articles });
});
afterEach(() => site.remove());
afterAll(() => service.close());

/** Builds the site, and returns the HTML of its article. */
async function build(): Promise<string> {
  const { status, output } = await site.astro(['build'], service.env);
  expect(status, output).toBe(0);
  const [entry] = await site.entries();
  return entry?.html ?? '';
}

/** A Shiki transformer that adds a word to every block of code. */
const transformer = (word: string) =>
  `export default { pre(node) { node.properties.title = ${JSON.stringify(word)}; } };`;
const config = (code: string, options = '') => `
  import { defineConfig } from 'astro/config';
  import articles from 'astro-articles';
  ${code}
  export default defineConfig({
    integrations: [articles(${options})],
    markdown: { shikiConfig: { transformers: [transformer] } },
  });`;
const withPlugin = (from: string) => ({
  'settings.ts': `export { default as transformer } from '${from}';`,
  'astro.config.mjs': config(`import { transformer } from './settings.ts';`),
});

test.each([
  ['a file', './plugins/mark', {}, 'plugins/mark.ts'],
  [
    'a linked package',
    'linked-mark',
    {
      'linked/package.json': '{"name":"linked-mark","type":"module","exports":"./index.js"}',
      'linked/index.js': `export { default } from './mark.js';`,
    },
    'linked/mark.js',
  ],
])('the HTML follows edits of a plugin in %s', async (_, from, files, path) => {
  site = await createSite({
    files: { ...withPlugin(from), ...files, [path]: transformer('first') },
  });
  const link = join(site.root, 'node_modules/linked-mark');
  await mkdir(dirname(link), { recursive: true });
  await symlink('../linked', link);
  expect(await build()).toContain('title="first"');
  await site.write(path, transformer('second'));
  expect(await build()).toContain('title="second"');
});

test('the HTML follows edits of a plugin whose import is computed', async () => {
  site = await createSite({
    files: {
      'plugins/mark.mjs': transformer('first'),
      'astro.config.mjs': config(`
        const name = 'mark';
        const path = './plugins/' + name + '.mjs';
        const { default: transformer } = await import(path);`),
    },
  });
  expect(await build()).toContain('title="first"');
  await site.write('plugins/mark.mjs', transformer('second'));
  expect(await build()).toContain('title="second"');
});

test('the HTML follows a file that `renderInputs` names, because a plugin reads it', async () => {
  site = await createSite({
    files: {
      'astro.config.mjs': config(
        `import transformer from './plugins/mark.ts';`,
        `{ renderInputs: ['*.txt'] }`,
      ),
      'plugins/mark.ts': `
        import { readFileSync } from 'node:fs';
        export default {
          pre(node) { node.properties.title = readFileSync('word.txt', 'utf8'); },
        };`,
      'word.txt': 'first',
    },
  });
  expect(await build()).toContain('title="first"');
  await site.write('word.txt', 'second');
  expect(await build()).toContain('title="second"');
});

test('the data follows edits of a schema that the content config imports', async () => {
  const schema = (title: string) => `
    import { articleSchema } from 'astro-articles';
    import { z } from 'astro/zod';
    export const schema = (context: Parameters<typeof articleSchema>[0]) =>
      articleSchema(context).extend({ title: z.string().transform((title) => ${title}) });`;
  site = await createSite({
    files: {
      'src/content.config.ts': `
        import { defineCollection } from 'astro:content';
        import { articlesLoader } from 'astro-articles';
        import { schema } from './schemas/article';
        export const collections = { articles: defineCollection({ loader: articlesLoader(), schema }) };`,
      'src/schemas/article.ts': schema('title'),
    },
  });
  const titles = async () => {
    await build();
    return (await site.entries()).map(({ data }) => data.title);
  };
  expect(await titles()).toEqual(['One']);
  await site.write('src/schemas/article.ts', schema('title.toUpperCase()'));
  expect(await titles()).toEqual(['ONE']);
});

test('a config that reads the environment renders nothing in an unchanged load', async () => {
  site = await createSite({
    files: {
      'package-lock.json': '{}',
      'astro.config.mjs': config(`
        import { appendFileSync } from 'node:fs';
        const transformer = {
          name: process.env.NODE_ENV,
          pre(node) {
            appendFileSync('rendered.txt', 'x');
            node.properties.title = new Date(0).toISOString();
          },
        };`),
    },
  });
  await build();
  const rendered = await site.read('rendered.txt');
  expect(rendered).not.toBe('');
  await build();
  expect(await site.read('rendered.txt')).toBe(rendered);
});
