import { setTimeout } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { FixtureService } from '../../fixtures/service.ts';
import { astroVersions } from '../helpers/runs.ts';
import type { BuiltEntry, DevServer, Site, SiteOptions } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { temporaryService } from '../helpers/use-service.ts';

const sites = useSites();
let service: FixtureService;
let site: Site;

beforeEach(async () => {
  service = await temporaryService({ articles: makeArticles(3) });
});

async function start(options?: SiteOptions, env: Record<string, string> = service.env) {
  site = await sites.create(options);
  return site.dev(env);
}

async function entries({ url }: Pick<DevServer, 'url'>): Promise<BuiltEntry[]> {
  return (await fetch(`${url}/entries.json`)).json();
}

test.each(astroVersions)(
  'uses options that are edited in astro.config, on Astro %i',
  async (astro) => {
    const dev = await start({ astro });
    expect((await entries(dev)).map(({ id }) => id).toSorted()).toEqual(['1', '2', '3']);

    const config = await site.read('astro.config.mjs');
    const edited = config.replace('articles()', `articles({ entryId: 'slug' })`);
    const slug = (await entries(dev))[0]?.data.slug;
    const idsAfterEdit = async () => {
      const ids = (await entries(dev).catch(() => [])).map(({ id }) => id);
      // Astro's watcher may start later than its server, and then misses an edit.
      if (!ids.includes(String(slug))) await site.write('astro.config.mjs', edited);
      return ids;
    };
    await expect.poll(idsAfterEdit, { interval: 4_000, timeout: 40_000 }).toContain(slug);
    const after = await entries(dev);
    expect(after.map(({ id }) => id)).toEqual(after.map(({ data }) => data.slug));
  },
);

test.each(astroVersions)('uses a key that is corrected in .env, on Astro %i', async (astro) => {
  const dotenv = (key: string) => `ARTICLES_BASE_URL=${service.url}\nARTICLES_API_KEY=${key}\n`;
  const dev = await start({ astro, files: { '.env': dotenv('wrong') } }, {});
  expect(await entries(dev)).toEqual([]);
  expect(dev.output()).toContain('Check the API key');
  const entriesAfterEdit = async () => {
    const ids = await entries(dev).catch(() => []);
    if (ids.length === 0) await site.write('.env', dotenv(service.apiKey));
    return ids;
  };
  await expect.poll(entriesAfterEdit, { interval: 4_000, timeout: 40_000 }).toHaveLength(3);
});

test.each(astroVersions)(
  'shows each change in a page with getArticles(), on Astro %i',
  async (astro) => {
    const page = `---\nimport { getArticles } from 'astro-articles';\nconst all = await getArticles('articles');\n---\n
<p>{all.map(({ data }) => data.title).join('|')}</p>`;
    const { url } = await start({ astro, files: { 'src/pages/list.astro': page } });
    const titles = async () => {
      expect((await fetch(`${url}/_articles/refresh`, { method: 'POST' })).status).toBe(200);
      await setTimeout(1_000);
      return /<p>(.*)<\/p>/.exec(await (await fetch(`${url}/list`)).text())?.[1]?.split('|');
    };
    expect(await titles()).toHaveLength(3);
    for (const title of ['First', 'Second', 'Third']) {
      service.change(2, { title });
      expect(await titles()).toContain(title);
    }
    service.replace(makeArticles(2));
    expect(await titles()).toHaveLength(2);
  },
);
