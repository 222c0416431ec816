import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob, type Loader } from 'astro/loaders';
import { z } from 'astro/zod';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type ArticlesLoaderOptions, articlesLoader } from '../../src/content/articles-loader.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import { key, type LoadMore, useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(2, { words: [5, 10] }) });
let folder: string;

beforeEach(async () => {
  folder = join(site.root, 'local');
  await mkdir(folder);
  await write('about');
  await write('contact');
});

const write = (id: string) =>
  writeFile(
    join(folder, `${id}.json`),
    JSON.stringify({ ...localData, title: `Local ${id}`, slug: id }),
  );
const localData = { cover_image: null, cover_color: null, description: '', words: 1, position: 1 };

/** The type of local files, which Astro's command would add. */
const json = {
  extensions: ['.json'],
  getEntryInfo: ({ contents }: { contents: string }) => ({ data: JSON.parse(contents) }),
};

const local: Loader = {
  name: 'local',
  load: (given) => {
    const entryTypes = new Map([['.json', json]]);
    return glob({ pattern: '*.json', base: 'local' }).load(
      Object.assign({ ...given }, { entryTypes }),
    );
  },
};

/** Loads local files and articles into one collection. */
async function load(options: ArticlesLoaderOptions = {}) {
  const loaded = await site.load({ with: local, ...options }, { schema: articleSchema });
  const { failure, entries, warnings, written } = loaded;
  const titles = Object.fromEntries([...entries].map(([id, { data }]) => [id, data.title]));
  return { failure: failure?.message, titles, warnings, written };
}

describe('entries of another loader in the same collection', () => {
  it('are kept, while articles come and go', async () => {
    const local = { about: 'Local about', contact: 'Local contact' };
    const { '1': first, '2': second } = Object.fromEntries(
      site.service.articles.map(({ id, title }) => [String(id), title]),
    );
    expect(await load()).toMatchObject({ titles: { ...local, 1: first, 2: second }, warnings: [] });
    expect(await load()).toMatchObject({ titles: { ...local, 1: first, 2: second }, written: [] });
    site.service.remove(2);
    expect((await load()).titles).toEqual({ ...local, 1: first });
    await rm(join(folder, 'contact.json'));
    expect((await load()).titles).toEqual({ about: 'Local about', 1: first });
  });

  it('are replaced by a loader that clears its store, and articles are not', async () => {
    const clearing: Loader = {
      name: 'clearing',
      load: async ({ store }) => {
        store.clear();
        store.delete('1');
        expect([...store.keys(), ...store.entries(), ...store.values()]).toEqual([]);
        store.set({ id: 'own', data: { ...localData, title: 'Own', slug: 'own' } });
      },
    };
    await load();
    const { titles, written } = await load({ with: clearing });
    expect(Object.keys(titles).sort()).toEqual(['1', '2', 'own']);
    expect(written).toEqual(['own']);
  });

  it('are kept if the site calls the other loader itself', async () => {
    const adapt: LoadMore['adapt'] = (context) => {
      context.store.set({ id: 'own', data: { ...localData, title: 'Own', slug: 'own' } });
      return context;
    };
    for (const more of [{ adapt }, {}]) {
      const { entries } = await site.load({}, { schema: articleSchema, ...more });
      expect([...entries.keys()].sort()).toEqual(['1', '2', 'own']);
    }
  });

  it('stay in refreshes, which do not load them again, because their loader watches them', async () => {
    let calls = 0;
    const counting: Loader = {
      name: 'counting',
      load: async ({ store }) => {
        calls += 1;
        store.set({ id: 'own', data: { ...localData, title: 'Own', slug: 'own' } });
      },
    };
    const context = await createLoaderContext({ root: site.root, inMemory: true });
    const loader = articlesLoader({ baseUrl: site.service.url, apiKey: key, with: counting });
    await loader.load(context);
    const refreshContextData = { 'astro-articles': 'refresh' };
    for (const lists of [2, 3]) {
      await loader.load({ ...context, refreshContextData });
      expect([...context.store.keys()].sort()).toEqual(['1', '2', 'own']);
      expect([calls, site.service.count('list')]).toEqual([1, lists]);
    }
    await loader.load(context);
    expect([...context.store.keys()].sort()).toEqual(['1', '2', 'own']);
  });

  it('are accepted by the fields that the first load prints, pasted into a schema that fits both', async () => {
    site.service.replace(
      makeArticles(2, { words: [5, 10] }).map((article) => ({
        ...article,
        author: 'Ada',
        tags: [],
      })),
    );
    const other = { with: local } as ArticlesLoaderOptions;
    const { log } = await site.load(other, { schema: articleSchema });
    const fields = log.match(/^ {6}\w+: .*$/gm) ?? [];
    expect(fields.map((field) => field.trim().replace(/:.*/, ''))).toContain('author');
    const shape = new Function('z', `return {\n${fields.join('\n')}\n};`)(z);
    const schema: LoadMore['schema'] = (context) => articleSchema(context).extend(shape);
    const { failure, entries } = await site.load(other, { schema, inMemory: true });
    expect(failure).toBeUndefined();
    expect([...entries.keys()].sort()).toEqual(['1', '2', 'about', 'contact']);
    expect(entries.get('1')?.data).toMatchObject({ author: 'Ada', tags: [] });
  });

  it('need a loader, of another package', () => {
    const wrong = { with: 'src/blog/*.md' } as unknown as ArticlesLoaderOptions;
    // Two loaders of this package would claim the same entries as their own.
    const same = { with: articlesLoader() };
    expect(() => articlesLoader(wrong)).toThrow('`with`: expected a loader, such as `glob({ … })`');
    expect(() => articlesLoader(same)).toThrow('Articles of two services are two collections');
  });

  it('with the id of an article are named, and kept', async () => {
    await load();
    await write('2');
    const failed = await load();
    expect(failed.failure ?? 'the load succeeded').toMatch(
      /article "2": "local\/2\.json" has the same id, "2": rename it$/,
    );
    const { failure, titles, warnings } = await load({ failOn: ['service'] });
    expect(failure).toBeUndefined();
    expect(titles).toMatchObject({ about: 'Local about', '2': 'Local 2' });
    expect(warnings).toEqual([
      expect.stringContaining('article "2": "local/2.json" has the same id, "2"'),
    ]);
  });

  it('without a file are named by their id', async () => {
    const data = { ...localData, title: 'Own', slug: 'own' };
    const other: Loader = {
      name: 'other',
      load: async ({ store }) => void store.set({ id: '2', data }),
    };
    const { failure } = await load({ with: other });
    expect(failure ?? 'the load succeeded').toMatch(
      /article "2": an entry of another loader has the same id, "2": rename it$/,
    );
  });

  it('that differ only in Unicode form from the slug of an article are named, too', async () => {
    const [file, id] = ['か\u3099く', 'がく'];
    await write(file);
    site.service.replace([{ id, title: 'Title', content: 'Text', cover_image: null }]);
    const { failure } = await load({ entryId: 'slug' });
    expect(failure ?? 'the load succeeded').toContain(
      `article "${id}": "local/${file}.json" has the same id, "${file}": rename it, or change the slug of the article`,
    );
  });
});
