import { beforeEach, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const apiKey = 'a+key/that=must-not-be-"seen"';
const service = await useService({ apiKey, articles: makeArticles(3) });
const sites = useSites();
beforeEach(() => service.clearRequests());

const dotenv = `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${service.apiKey}\n`;

test('reads the .env file of the mode in the envDir of Vite, and prefers the environment', async () => {
  const site = await sites.create({
    config: `vite: { envDir: './env' }`,
    files: { 'env/.env.staging': dotenv },
  });
  const staging = ['build', '--mode', 'staging'];
  const unset = 'The URL of the service is not set';
  expect((await site.astro()).output).toContain(unset);
  const malformed = await site.astro(staging, { ARTICLES_API_KEY: 'two words' });
  expect(malformed.status).toBe(1);
  expect(malformed.output).toContain('contains a space');
  expect(service.count()).toBe(0);
  expect((await site.astro(staging)).status).toBe(0);
});

test('an installed package reads .env, and gives a loader its own options, over those of the integration', async () => {
  const site = await sites.create({
    install: 'installed',
    options: `{ entryId: 'slug', pageSize: 2 }`,
    files: {
      '.env': dotenv,
      'src/content.config.ts': `
        import { defineCollection } from 'astro:content';
        import { articlesLoader } from 'astro-articles';
        export const collections = { articles: defineCollection({ loader: articlesLoader({ pageSize: 1 }) }) };`,
    },
  });
  expect(await site.build()).toContain('3 articles shown: 3 added');
  const entries = await site.entries();
  expect(entries.map(({ id }) => id)).toEqual(entries.map(({ data }) => data.slug));
  const limits = service.requests.flatMap(({ kind, limit }) => (kind === 'list' ? [limit] : []));
  expect(limits).toEqual([1, 1, 1]);
});

// That other builds contain no key is tested whenever a site is removed.
test('fails a build that writes the key into a page or a script, and names the files', async () => {
  const files = {
    'src/pages/text.astro':
      '---\nconst key = process.env.ARTICLES_API_KEY;\n---\n<p set:html={key} />',
    'src/pages/script.astro': `<p>x</p><script>console.log(${JSON.stringify(apiKey)});</script>`,
  };
  const site = await sites.create({ files, leaky: true });
  const { status, output } = await site.astro(['build'], service.env);
  expect(status).toBe(1);
  expect(output).toContain('The API key was found in the build output');
  for (const name of ['text', 'script']) expect(output).toContain(`dist/${name}/index.html`);
  expect(output).not.toContain(apiKey);
});
