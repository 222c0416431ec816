import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'astro/loaders';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articlesLoader } from '../../src/content/loader.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import { key, useSite } from '../helpers/use-site.ts';

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
const localData = { cover_image: null, description: '', words: 1, position: 1 };

/** The type of local files, which Astro's command would add. */
const json = {
  extensions: ['.json'],
  getEntryInfo: ({ contents }: { contents: string }) => ({ data: JSON.parse(contents) }),
};

/** Loads local files and articles into one collection, as a loader of a site may do. */
async function load(options: ArticlesOptions = {}) {
  const context = await createLoaderContext({ root: site.root });
  // Astro's loader deletes all entries that are not files, so it has to run first.
  const local = Object.assign({ ...context }, { entryTypes: new Map([['.json', json]]) });
  await glob({ pattern: '*.json', base: 'local' }).load(local);
  const service = { baseUrl: site.service.url, apiKey: key, ...options };
  const failure = await articlesLoader(service)
    .load(context)
    .then(
      () => undefined,
      (error: Error) => error.message,
    );
  await context.save();
  return {
    failure,
    titles: Object.fromEntries(context.store.values().map(({ id, data }) => [id, data.title])),
    warnings: context.lines.filter(({ level }) => level === 'warn').map(({ message }) => message),
  };
}

describe('entries of another loader in the same collection', () => {
  it('are kept, while articles come and go', async () => {
    const local = { about: 'Local about', contact: 'Local contact' };
    const { '1': first, '2': second } = Object.fromEntries(
      site.service.articles.map(({ id, title }) => [String(id), title]),
    );
    expect(await load()).toMatchObject({ titles: { ...local, 1: first, 2: second }, warnings: [] });
    expect((await load()).titles).toEqual({ ...local, 1: first, 2: second });
    site.service.remove(2);
    expect((await load()).titles).toEqual({ ...local, 1: first });
    await rm(join(folder, 'contact.json'));
    expect((await load()).titles).toEqual({ about: 'Local about', 1: first });
  });

  it('with the id of an article are named, and kept', async () => {
    await load();
    await write('2');
    const failed = await load();
    expect(failed.failure).toContain(
      'article "2": "local/2.json" has the same id in this collection',
    );
    const { failure, titles, warnings } = await load({ onInvalid: 'keep' });
    expect(failure).toBeUndefined();
    expect(titles).toMatchObject({ about: 'Local about', '2': 'Local 2' });
    expect(warnings).toEqual([
      expect.stringContaining('article "2": "local/2.json" has the same id in this collection'),
    ]);
  });
});
