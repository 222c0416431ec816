import { beforeEach, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const service = await useService({ articles: makeArticles(3) });
const { create: site } = useSites();
beforeEach(() => service.clearRequests());

const dotenv = `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${service.apiKey}\n`;

test.each(['linked', 'installed'] as const)(
  'reads .env, for a package that is %s',
  async (install) => {
    const { build, entries } = await site({ install, files: { '.env': dotenv } });
    expect(await build()).toContain('3 articles shown: 3 added');
    expect(await entries()).toHaveLength(3);
  },
);

test('reads .env.[mode] for the mode of Astro', async () => {
  const { astro } = await site({ files: { '.env.staging': dotenv } });
  expect((await astro()).output).toContain(
    'The address of the service and the API key are not set',
  );
  expect(await astro(['build', '--mode', 'staging'])).toMatchObject({ status: 0 });
});

test('reads .env in the envDir of Vite', async () => {
  const files = { 'env/.env': dotenv };
  await (await site({ config: `vite: { envDir: './env' }`, files })).build();
});

test('lets the environment win over .env', async () => {
  const files = { '.env': 'ARTICLES_API_KEY=wrong\n' };
  await (await site({ files })).build(service.env);
});

test('works without the integration', async () => {
  const { astro } = await site({
    files: {
      '.env': dotenv,
      'astro.config.mjs': `import { defineConfig } from 'astro/config'; export default defineConfig({});`,
    },
  });
  expect((await astro()).output).toContain('3 articles shown: 3 added');
});

test('gives a loader its own options, over those of the integration', async () => {
  const { astro, entries } = await site({
    options: `{ entryId: 'slug', pageSize: 2 }`,
    files: {
      '.env': dotenv,
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
  ['with a malformed key', '{}', { ARTICLES_API_KEY: 'two words' }, 'The API key contains a space'],
  ['with an invalid option', '{ pageSize: 501 }', {}, '`pageSize`: expected a whole number from'],
])(
  '%s, the build fails before any request and says what to do',
  async (_, options, env, problem) => {
    const { astro } = await site({ options, files: { '.env': dotenv } });
    const { status, output } = await astro(['build'], env);
    expect(status).toBe(1);
    expect(output).toContain(problem);
    expect(service.count()).toBe(0);
  },
);

test('says so when no collection of the site comes from the service', async () => {
  const { astro } = await site({
    files: { '.env': dotenv, 'src/content.config.ts': 'export const collections = {};' },
  });
  expect((await astro()).output).toContain('No collection of this site was loaded');
});
