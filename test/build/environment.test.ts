import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site, type SiteOptions } from '../helpers/site.ts';

let service: FixtureService;
const sites: Site[] = [];

beforeAll(async () => {
  service = await startService({ articles: makeArticles(3) });
});
afterEach(async () => {
  for (const site of sites.splice(0)) await site.remove();
  service.clearRequests();
});
afterAll(() => service.close());

async function site(options?: SiteOptions): Promise<Site> {
  const made = await createSite(options);
  sites.push(made);
  return made;
}

const dotenv = () => `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${service.apiKey}\n`;

test.each(['linked', 'installed'] as const)(
  'reads .env, for a package that is %s',
  async (install) => {
    const { astro, entries } = await site({ install, files: { '.env': dotenv() } });
    const { status, output } = await astro();
    expect(output).toContain('3 articles shown: 3 added');
    expect(status).toBe(0);
    expect(await entries()).toHaveLength(3);
  },
);

test('reads .env.[mode] for the mode of Astro', async () => {
  const { astro } = await site({ files: { '.env.staging': dotenv() } });
  expect((await astro()).output).toContain(
    'The address of the service and the API key are not set',
  );
  expect(await astro(['build', '--mode', 'staging'])).toMatchObject({ status: 0 });
});

test('reads .env in the envDir of Vite', async () => {
  const { astro } = await site({
    config: `vite: { envDir: './env' }`,
    files: { 'env/.env': dotenv() },
  });
  expect(await astro()).toMatchObject({ status: 0 });
});

test('lets the environment win over .env', async () => {
  const { astro } = await site({ files: { '.env': 'ARTICLES_API_KEY=wrong\n' } });
  expect(await astro(['build'], service.env)).toMatchObject({ status: 0 });
});

test('works without the integration', async () => {
  const { astro } = await site({
    files: {
      '.env': dotenv(),
      'astro.config.mjs': `import { defineConfig } from 'astro/config'; export default defineConfig({});`,
    },
  });
  expect((await astro()).output).toContain('3 articles shown: 3 added');
});

test('gives a loader its own options, over those of the integration', async () => {
  const { astro, entries } = await site({
    options: `{ entryId: 'slug', pageSize: 2 }`,
    files: {
      '.env': dotenv(),
      'src/content.config.ts': `
        import { defineCollection } from 'astro:content';
        import { articlesCollection } from 'astro-articles';
        export const collections = { articles: defineCollection(articlesCollection({ pageSize: 1 })) };`,
    },
  });
  expect((await astro()).status).toBe(0);
  const built = await entries();
  expect(built.map(({ id }) => id)).toEqual(built.map(({ data }) => data.slug));
  expect(service.requests.filter(({ kind }) => kind === 'list').map(({ limit }) => limit)).toEqual([
    1, 1, 1,
  ]);
});

test.each([
  ['neither', {}, 'The address of the service and the API key are not set', 'ARTICLES_BASE_URL='],
  ['no key', { ARTICLES_BASE_URL: 'x' }, 'The API key is not set', 'ARTICLES_API_KEY=…'],
  [
    'a malformed key',
    { ARTICLES_API_KEY: 'two words' },
    'The API key contains a space',
    'Copy it again',
  ],
  [
    'plain http',
    { ARTICLES_BASE_URL: 'http://a.example', ARTICLES_API_KEY: 'a-key-of-a-test' },
    'uses plain http',
    'Use https',
  ],
])(
  'with %s, the build fails before any request and says what to do',
  async (_, env, problem, hint) => {
    const { astro } = await site();
    const set = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, value === 'x' ? service.url : value]),
    );
    const base = 'ARTICLES_API_KEY' in set ? { ARTICLES_BASE_URL: service.url } : {};
    const { status, output } = await astro(['build'], { ...base, ...set });
    expect(status).toBe(1);
    expect(output).toContain('collection "articles"');
    expect(output).toContain(problem);
    expect(output).toContain(hint);
    expect(service.count()).toBe(0);
  },
);

test.each([
  ['{ pageSize: 501 }', '`pageSize`: expected a whole number from 1 to 500'],
  ['{ pagesize: 5 }', 'Unknown option `pagesize`. Did you mean `pageSize`?'],
])(
  'with the options %s, the build fails before any request and names the option',
  async (options, problem) => {
    const { astro } = await site({ options, files: { '.env': dotenv() } });
    const { status, output } = await astro();
    expect(status).toBe(1);
    expect(output).toContain(problem);
    expect(service.count()).toBe(0);
  },
);

test('says so when no collection of the site comes from the service', async () => {
  const { astro } = await site({
    files: { '.env': dotenv(), 'src/content.config.ts': 'export const collections = {};' },
  });
  expect((await astro()).output).toContain('No collection of this site was loaded');
});
