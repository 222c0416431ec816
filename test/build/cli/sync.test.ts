import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { FixtureService } from '../../../fixtures/service.ts';
import type { Site } from '../../helpers/site.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { useSites } from '../../helpers/use-builds.ts';
import { temporaryService } from '../../helpers/use-service.ts';
import { plain, type Ran, run, start } from './cli.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));

const serve = (count = 5) =>
  temporaryService({ articles: makeArticles(count, { cover: 'tides.jpg' }) });

const { create: site } = useSites();

/** Builds offline, and checks that no request was sent. */
async function buildOffline({ build, entries }: Site, service: FixtureService, env = {}) {
  service.clearRequests();
  await build({ ARTICLES_OFFLINE: '1', ...env });
  expect(service.count()).toBe(0);
  return (await entries()).map(({ id }) => id);
}

const all = ['1', '2', '3', '4', '5'];

/** Replaces the URL of the service, which differs between runs. */
const withoutHash = (text: string) => plain(text).replaceAll(/-[0-9a-f]{12}\b/g, '-HASH');

describe.each([6, 7] as const)('a site on Astro %i', (astro) => {
  test('builds without any request after a sync', async () => {
    const service = await serve();
    const made = await site({ astro, options: `{ baseUrl: '${service.url}' }` });
    const env = { ARTICLES_API_KEY: service.apiKey };

    const first = await run(['sync'], { cwd: made.root, env });
    expect(first).toMatchObject({ status: 0, err: '' });
    expect(withoutHash(first.out)).toBe(
      '5 articles shown: 5 added, 0 updated, 0 unchanged, 0 removed; 6 requests, N s\n' +
        'The mirror is in node_modules/.astro/astro-articles/articles-HASH.\n',
    );
    expect(service.count('media')).toBe(1);
    expect((await buildOffline(made, service)).toSorted()).toEqual(all);
    const covers = (await made.entries()).map(({ data }) => data.cover_image?.width);
    expect(covers).toEqual([1280, 1280, 1280, 1280, 1280]);

    service.change(2, { title: 'Another' });
    const second = await run(['sync', '--root', made.root], { env });
    expect(plain(second.out)).toContain('0 added, 1 updated, 4 unchanged, 0 removed; 2 requests');
    await buildOffline(made, service);
    expect((await made.entries()).find(({ id }) => id === '2')?.data.title).toBe('Another');
  });
});

test('does not print the key of an article that contains it', async () => {
  const service = await serve(1);
  const nested = JSON.parse('['.repeat(70) + ']'.repeat(70));
  service.change(1, { [service.apiKey]: nested });
  const { status, err } = await run(['sync'], { cwd: await temporaryFolder(), env: service.env });
  expect(status).toBe(1);
  expect(err).toContain('field [the API key]');
});

describe('it finds the mirror', () => {
  test.each([
    ['cacheDir', `cacheDir: './cache'`, '{}', 'cache/astro-articles/articles'],
    ['mirrorDir', '', `{ mirrorDir: './kept' }`, 'kept/articles'],
  ])('of a site with %s', async (_, config, options, path) => {
    const service = await serve();
    const made = await site({ config, options });
    const { out } = await run(['sync'], { cwd: made.root, env: service.env });
    expect(withoutHash(out)).toContain(`The mirror is in ${path}-HASH.`);
    expect(await buildOffline(made, service, { ARTICLES_BASE_URL: service.url })).toHaveLength(5);
  });

  test('of a site with a config in TypeScript and another folder for .env', async () => {
    const service = await serve();
    const { root } = await site({
      files: {
        'settings.ts': `export const settings: { pageSize: number } = { pageSize: 2 };`,
        'astro.config.ts': `
          import { defineConfig } from 'astro/config';
          import articles from 'astro-articles';
          import { settings } from './settings';
          export default defineConfig({ integrations: [articles(settings)], vite: { envDir: './env' } });`,
        'env/.env': `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${service.apiKey}\n`,
      },
    });
    await writeFile(join(root, 'astro.config.mjs'), 'syntax error');
    const broken = await run(['sync'], { cwd: root });
    expect(broken.status).toBe(1);
    expect(broken.err).toContain('astro.config.mjs cannot be read: ');
    expect(broken.err).toContain('check that `npx astro sync` works there');
    await rm(join(root, 'astro.config.mjs'));

    expect(await run(['sync'], { cwd: root })).toMatchObject({ status: 0, err: '' });
    const lists = service.requests.filter(({ kind }) => kind === 'list');
    expect(new Set(lists.map(({ limit }) => limit))).toEqual(new Set([2]));
  });

  test('of several collections, and of one with options in content.config', async () => {
    const service = await serve();
    const made = await site({
      files: {
        'src/content.config.ts': `
          import { defineCollection } from 'astro:content';
          import { articlesCollection } from 'astro-articles';
          const own = { mirrorDir: './kept' };
          export const collections = {
            articles: defineCollection(articlesCollection(own)),
            news: defineCollection(articlesCollection(own)),
          };`,
      },
    });
    const args = [
      'sync',
      '--mirror-dir',
      './kept',
      '--collection',
      'articles',
      '--collection',
      'news',
    ];
    const { out } = await run(args, { cwd: made.root, env: service.env });
    expect(withoutHash(out)).toContain('The mirror is in kept/articles-HASH.');
    expect(withoutHash(out)).toContain('The mirror is in kept/news-HASH.');
    expect(await buildOffline(made, service, { ARTICLES_BASE_URL: service.url })).toHaveLength(5);
  });
});

describe('a package outside of the site', () => {
  /** A copy of the package with its dependencies, but without Astro. */
  async function packageWithoutAstro(): Promise<string> {
    const home = await temporaryFolder();
    const target = join(home, 'node_modules/astro-articles');
    await cp(join(project, 'dist'), join(target, 'dist'), { recursive: true });
    await cp(join(project, 'package.json'), join(target, 'package.json'));
    const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) {
      await symlink(join(project, 'node_modules', name), join(home, 'node_modules', name));
    }
    return target;
  }

  function runCopy(copy: string, args: string[], cwd: string, env = {}): Promise<Ran> {
    return start(args, { cwd, env, bin: join(copy, 'dist/cli/main.js') }).ended;
  }

  const dotenv = ({ url, apiKey }: FixtureService) =>
    `ARTICLES_BASE_URL=${url}\nARTICLES_API_KEY=${apiKey}\n`;

  test("reads astro.config with the site's own packages", async () => {
    const service = await serve();
    const copy = await packageWithoutAstro();
    const root = await temporaryFolder();
    await mkdir(join(root, 'node_modules'));
    await symlink(join(project, 'node_modules/astro'), join(root, 'node_modules/astro'));
    await symlink(project, join(root, 'node_modules/astro-articles'));
    await writeFile(join(root, '.env'), dotenv(service));
    await writeFile(
      join(root, 'astro.config.mjs'),
      `import articles from 'astro-articles'; export default { integrations: [articles({ mirrorDir: './kept' })] };`,
    );
    await writeFile(join(root, 'package.json'), '{ "type": "module" }');
    const { status, out, err } = await runCopy(copy, ['sync'], root);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(withoutHash(out)).toContain('The mirror is in kept/articles-HASH.');
  });

  test('works in a folder without Astro', async () => {
    const service = await serve();
    const copy = await packageWithoutAstro();
    const root = await temporaryFolder();
    const env = service.env;
    expect(await runCopy(copy, ['sync'], root, env)).toMatchObject({ status: 0, err: '' });
    expect((await runCopy(copy, ['check'], root, env)).status).toBe(0);

    await writeFile(join(root, 'astro.config.mjs'), 'export default {};');
    const { status, err } = await runCopy(copy, ['sync'], root, env);
    expect(status).toBe(1);
    expect(err).toContain('astro.config.mjs cannot be read: Cannot find module');
  });
});

describe('a sync that fails', () => {
  test('reports a rejected key, without the key', async () => {
    const service = await serve();
    const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: 'an-unknown-key-x' };
    const { status, err } = await run(['sync'], { cwd: await temporaryFolder(), env });
    expect(status).toBe(1);
    expect(err).toContain('Settings → Integrations → REST API → "Generate API key"');
  });
});

test('check uses the options of the site, too', async () => {
  const service = await serve();
  const options = `{ baseUrl: '${service.url}', images: { maxPixels: 10 } }`;
  const made = await site({ options, files: { '.env': `ARTICLES_API_KEY=${service.apiKey}\n` } });
  const { out, status } = await run(['check'], { cwd: made.root });
  expect(out).toContain('/media/tides.jpg: it has more than 10 pixels');
  expect(status).toBe(1);
});

test('names the images that only a build downloads', async () => {
  const service = await serve(1);
  const made = await site({ options: `{ images: { body: 'local' } }` });
  const { status, err } = await run(['sync'], { cwd: made.root, env: service.env });
  expect(status).toBe(0);
  expect(err).toMatch(
    /^This command does not download images in bodies .* A build or `npx astro sync` does\.\n$/,
  );
});
