import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { ServiceOptions } from '../../../fixtures/service.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { useSites } from '../../helpers/use-builds.ts';
import { temporaryService } from '../../helpers/use-service.ts';
import { plain, run } from './cli.ts';

const serve = (options?: ServiceOptions) =>
  temporaryService({ articles: makeArticles(26, { words: [5, 20] }), ...options });

const sites = useSites();

const contentConfig = `
  import { writeFileSync } from 'node:fs';
  import { defineCollection } from 'astro:content';
  import { articlesLoader } from 'astro-articles';
  const other = async () => {
    writeFileSync('other-loaded', '');
    return [];
  };
  const another = { name: 'another', load: other };
  const mirrorDir = 'mirror';
  setInterval(() => {}, 1_000);
  export const collections = {
    other: defineCollection({ loader: other }),
    another: defineCollection({ loader: another }),
    articles: defineCollection({ loader: articlesLoader({ pageSize: 10, mirrorDir }) }),
  };`;

const suggestions = `http://127.0.0.1:PORT/
20 articles shown: 20 added, 0 updated, 0 unchanged, 0 removed; 23 requests, N s
Checked 20 of 26 articles, and 26 rows of the listing.

✓ The rows are newest first, by ids, if higher ones are newer.
✓ Pages of another size have the same order.
✓ Each row is the whole article, as 3 of 3 fetched ones show.
✓ Further fields of the rows: none.

Options that suit this service:

articles({
  rows: 'whole'
})
`;

test.each([7, 6] as const)(
  'with Astro %d, loads with the options of content.config behind a link, and keeps nothing',
  async (astro) => {
    const service = await serve();
    const site = await sites.create({ astro, files: { 'src/content.config.ts': contentConfig } });
    const before = await site.list('.');
    const env = { ...service.env, TMPDIR: await temporaryFolder() };
    const link = join(await temporaryFolder(), 'link');
    await symlink(site.root, link);
    const { status, out, err } = await run(['check', '--root', link], { env });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(plain(out)).toBe(suggestions);
    expect(service.count('article')).toBe(23);
    expect(service.requests.some(({ path }) => path.includes('limit=10'))).toBe(true);
    const isAstros = (path: string) => /^(?:\.astro|node_modules)\//.test(path);
    const added = (await site.list('.')).filter((path) => !before.includes(path));
    expect(added.filter((path) => !isAstros(path))).toEqual([]);
    expect(await readdir(env.TMPDIR)).toEqual([]);

    service.clearRequests();
    await site.build(service.env);
    expect(service.count('article')).toBe(26);
    expect(await site.list('.')).toEqual(
      expect.arrayContaining(['other-loaded', expect.stringMatching(/^mirror\//)]),
    );
  },
);

test('fails for a refused key, and prints no control characters of the response', async () => {
  const service = await serve();
  const fault = { kind: 'status', status: 403, body: '{"detail":"Red \\u001b[31m"}' } as const;
  service.fail({ times: Number.POSITIVE_INFINITY, on: 'list', fault });
  const site = await sites.create();
  const { status, out } = await run(['check'], { cwd: site.root, env: service.env });
  expect(status).toBe(1);
  for (const text of ['Red  [31m', 'Check the API key, ']) expect(out).toContain(text);
  expect(service.count()).toBe(1);
});

test('hides the key where the service repeats it', async () => {
  const { apiKey } = await serve();
  const articles = makeArticles(2).map((article) => ({ ...article, [apiKey]: 1 }));
  const echo = await serve({ articles, apiKey });
  const site = await sites.create();
  const { out } = await run(['check'], { cwd: site.root, env: echo.env });
  expect(out).toContain('it contains the API key');
  expect(out).not.toContain(apiKey);
});

test.each([
  ['that cannot be read', 'astro.config.mjs', 'syntax error', ''],
  ['with a missing folder', 'astro.config.mjs', "export default { srcDir: 'x' };", 'its content'],
  [
    'without a collection of this package',
    'src/content.config.ts',
    `import { defineCollection } from 'astro:content';
     export const collections = { other: defineCollection({ loader: () => [] }) };`,
    'its content config has no collection with the loader of this package',
  ],
])('reports a config of the site %s', async (_, name, content, problem) => {
  const site = await sites.create();
  await writeFile(join(site.root, name), content);
  const { env } = await serve();
  const { status, err } = await run(['check'], { cwd: site.root, env });
  expect(status).toBe(2);
  expect(err).toContain(`The site cannot be loaded: ${problem}`);
  expect(err).toContain('check that `npx astro sync` works there');
});
