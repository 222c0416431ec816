import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { FixtureService, ServiceOptions } from '../../../fixtures/service.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { useSites } from '../../helpers/use-builds.ts';
import { temporaryService } from '../../helpers/use-service.ts';
import { plain, run } from './cli.ts';

const serve = (options?: ServiceOptions) =>
  temporaryService({ articles: makeArticles(26, { words: [5, 20] }), ...options });

const sites = useSites();
const always = Number.POSITIVE_INFINITY;

const contentConfig = `
  import { writeFileSync } from 'node:fs';
  import { defineCollection } from 'astro:content';
  import { articlesCollection } from 'astro-articles';
  const other = async () => {
    writeFileSync('other-loaded', '');
    return [];
  };
  const another = { name: 'another', load: other };
  const mirrorDir = 'mirror';
  export const collections = {
    other: defineCollection({ loader: other }),
    another: defineCollection({ loader: another }),
    articles: defineCollection(articlesCollection({ pageSize: 10, mirrorDir })),
  };`;

const suggestions = `Checked 20 of 26 articles, and 26 rows of the listing.

✓ A wrong key is refused (403).
✓ The rows are newest first, by ids, if higher ones are newer.
✓ Pages of another size have the same order.
✓ Each row is the whole article, as 3 of 3 fetched ones show.
✓ Further fields of the rows: none.

Options that suit this service:

articles({
  rows: 'whole'
})
`;

const requestsOf = ({ requests }: FixtureService) => requests.map(({ path }) => path).toSorted();

test.each([7, 6] as const)(
  'with Astro %d, loads with the options of content.config, and keeps nothing',
  async (astro) => {
    const service = await serve();
    const site = await sites.create({ astro, files: { 'src/content.config.ts': contentConfig } });
    const { env } = service;
    await site.build(env);
    const built = requestsOf(service);
    const store = await site.list('.');
    expect(store).toContain('other-loaded');
    expect(store.some((path) => path.startsWith('mirror/'))).toBe(true);

    const fresh = await sites.create({ astro, files: { 'src/content.config.ts': contentConfig } });
    const before = await fresh.list('.');
    service.clearRequests();
    const TMPDIR = await temporaryFolder();
    const { status, out, err } = await run(['check'], { cwd: fresh.root, env: { ...env, TMPDIR } });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(plain(out)).toBe(`http://127.0.0.1:PORT/
20 articles shown: 20 added, 0 updated, 0 unchanged, 0 removed; 23 requests, N s
${suggestions}`);
    expect(service.count('article')).toBe(23);
    expect(requestsOf(service).filter((path) => path.includes('limit=10'))).not.toEqual([]);
    const isAstros = (path: string) => /^(?:\.astro|node_modules)\//.test(path);
    const added = (await fresh.list('.')).filter((path) => !before.includes(path));
    expect(added.filter((path) => !isAstros(path))).toEqual([]);
    expect(await readdir(TMPDIR)).toEqual([]);

    service.clearRequests();
    await fresh.build(env);
    expect(requestsOf(service)).toEqual(built);
  },
);

test('fails where a build would, and suggests an option that avoids it', async () => {
  const service = await serve();
  service.fail({ on: 'article', times: always, fault: { kind: 'status', status: 404 } });
  const site = await sites.create();
  const { status, out } = await run(['check'], { cwd: site.root, env: service.env });
  expect(status).toBe(1);
  expect(out).toContain('✗ The service lists 20 articles, and responds 404');
  expect(out).toContain('See node_modules/astro-articles/docs/errors.md#articles-missing');
  expect(out).toContain("  rows: 'whole'");
});

test('fails for a key that is refused, without a second request or control characters', async () => {
  const service = await serve();
  const body = JSON.stringify({ detail: 'Red \u001b[31m' });
  service.fail({ on: 'list', times: always, fault: { kind: 'status', status: 403, body } });
  const site = await sites.create();
  const { status, out } = await run(['check'], { cwd: site.root, env: service.env });
  expect(status).toBe(1);
  expect(out).toContain('Red  [31m');
  expect(out).toContain('Check the key, ');
  expect(service.count()).toBe(1);
});

test('hides the key where the service repeats it', async () => {
  const { apiKey } = await serve();
  const articles = makeArticles(2).map((article) => ({ ...article, [apiKey]: 1 }));
  const echo = await serve({ articles, apiKey });
  const site = await sites.create();
  const { out } = await run(['check'], { cwd: site.root, env: echo.env });
  expect(out).toContain('`[the API key]`');
});

test.each([
  ['that cannot be read', 'astro.config.mjs', 'syntax error', ''],
  [
    'without a collection of this package',
    'src/content.config.ts',
    `import { defineCollection } from 'astro:content';
     export const collections = { other: defineCollection({ loader: () => [] }) };`,
    'its content config has no collection with the loader of this package',
  ],
])('names a config of the site %s', async (_, name, content, problem) => {
  const site = await sites.create();
  await writeFile(join(site.root, name), content);
  const { env } = await serve();
  const { status, err } = await run(['check'], { cwd: site.root, env });
  expect(status).toBe(1);
  expect(err).toContain(`The site cannot be loaded: ${problem}`);
  expect(err).toContain('check that `npx astro sync` works there');
});
