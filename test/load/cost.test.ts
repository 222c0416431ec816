import { cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { articlesLoader } from '../../src/content/loader.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { createLoaderContext, type LoaderContextOptions } from '../helpers/loader-context.ts';

const count = 30;
const cover = 'tides.jpg';
let service: FixtureService;
/** A site that was loaded once; each test works on a copy. */
let loaded: string;
let root: string;

beforeAll(async () => {
  service = await startService();
  loaded = await mkdtemp(join(tmpdir(), 'cost-'));
  root = loaded;
  service.replace(makeArticles(count, { cover }));
  await load();
});
afterAll(async () => {
  await service.close();
  await rm(loaded, { recursive: true });
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cost-'));
  await cp(loaded, root, { recursive: true, preserveTimestamps: true });
  service.replace(makeArticles(count, { cover }));
});
afterEach(() => rm(root, { recursive: true }));

/** Loads once, and counts what it took. */
async function load(options: ArticlesOptions = {}, more: Partial<LoaderContextOptions> = {}) {
  service.clearRequests();
  const context = await createLoaderContext({ root, ...more });
  const before = await filesBelow(root);
  let renders = 0;
  let stored = 0;
  const { store } = context;
  const counting = {
    ...context,
    renderMarkdown: (...given: Parameters<typeof context.renderMarkdown>) => {
      renders += 1;
      return context.renderMarkdown(...given);
    },
    store: {
      ...store,
      set: (entry: Parameters<typeof store.set>[0]) => {
        stored += 1;
        return store.set(entry);
      },
    },
  };
  const given = { baseUrl: service.url, apiKey: service.apiKey, ...options };
  await articlesLoader(given).load(counting);
  const after = await filesBelow(root);
  const written = [...after].filter(([path, inode]) => before.get(path) !== inode);
  await context.save();
  return {
    context,
    cost: {
      lists: service.count('list'),
      articles: service.count('article'),
      images: service.count('media'),
      renders,
      stored,
      files: written.map(([path]) => kindOf(path)).toSorted(),
    },
  };
}

/** Which part of the mirror or of Astro's cache a file belongs to. */
function kindOf(path: string): string {
  return path.includes('/rendered/') ? 'rendered' : (path.split('/').at(-2) ?? '');
}

/** Each file with its inode, which is another one once the file was written anew. */
async function filesBelow(folder: string): Promise<Map<string, number>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const inodes = paths.map(
    async (path): Promise<[string, number]> => [path, (await stat(path)).ino],
  );
  return new Map(await Promise.all(inodes));
}

const nothing = { lists: 1, articles: 0, images: 0, renders: 0, stored: 0, files: ['articles'] };
const index = ['articles'];

describe('a load costs', () => {
  it('the listing, each article, each image once and each rendering, the first time', async () => {
    await rm(join(root, 'cache'), { recursive: true });
    const { cost } = await load();
    expect(cost).toMatchObject({
      lists: 1,
      articles: count,
      images: 1,
      renders: count,
      stored: count,
    });
    expect(cost.files).toHaveLength(2 * count + 2);
  });

  it('the listing and the index when nothing has changed', async () => {
    expect((await load()).cost).toEqual(nothing);
  });

  it('one article, one rendering, its two files and the index when one has changed', async () => {
    service.change(7, { content: 'Changed.' });
    const { cost } = await load();
    expect(cost).toEqual({
      ...nothing,
      articles: 1,
      // Its cover may have been replaced with it: asked whether it has.
      images: 1,
      renders: 1,
      stored: 1,
      files: [...index, 'articles', 'rendered'],
    });
  });

  it('no rendering when an article has gone, but new positions for those that came after it', async () => {
    service.remove(7);
    const { cost, context } = await load();
    expect(cost).toMatchObject({ lists: 2, articles: 0, images: 0, renders: 0, files: index });
    expect(cost.stored).toBeLessThan(count);
    expect(context.store.keys()).toHaveLength(count - 1);
  });

  it('no rendering when the service lists in another order', async () => {
    service.replace(makeArticles(count, { cover }).toReversed());
    const { cost } = await load();
    expect(cost).toMatchObject({ articles: 0, images: 0, renders: 0, stored: count, files: index });
  });

  it('no request and no rendering when Astro has thrown its store away', async () => {
    await rm(join(root, 'cache/data-store.json'));
    expect((await load()).cost).toEqual({ ...nothing, stored: count });
  });

  it('no more in dev after a build', async () => {
    await rm(join(root, 'cache/data-store.json'));
    expect((await load({}, { command: 'dev' })).cost).toEqual({ ...nothing, stored: count });
  });

  it('listing requests only, the first time too, where the rows are trusted', async () => {
    await rm(join(root, 'cache'), { recursive: true });
    const { cost } = await load({ trustList: true, pageSize: 10 });
    expect(cost).toMatchObject({ lists: 3, articles: 0, renders: count });
  });

  it('every rendering when something that shapes the HTML has changed', async () => {
    const { cost } = await load({ sanitize: { tags: ['center'] } });
    expect(cost).toMatchObject({ articles: 0, renders: count, stored: count });
  });

  it('every rendering that was lost, and no more', async () => {
    const parent = join(root, 'cache/astro-articles/articles/rendered');
    const [fingerprint = ''] = await readdir(parent);
    const [first = '', second = ''] = await readdir(join(parent, fingerprint));
    await rm(join(parent, fingerprint, first));
    await writeFile(join(parent, fingerprint, second), 'damaged');
    await rm(join(root, 'cache/data-store.json'));
    expect((await load()).cost).toMatchObject({ renders: 2, stored: count });
  });

  it('the index alone where the images of bodies are kept, too', async () => {
    const options: ArticlesOptions = { images: { body: 'local' } };
    service.change(3, { content: '![x](/media/snow.jpg)' });
    const { cost } = await load(options);
    expect(cost).toMatchObject({ articles: 1, images: 2, renders: count });
    expect((await load(options)).cost).toEqual(nothing);
    const other: ArticlesOptions = { ...options, sanitize: { tags: ['center'] } };
    expect((await load(other)).cost).toMatchObject({ images: 0, renders: count });
    expect((await load(options)).cost).toMatchObject({ images: 0, renders: 0 });
  });
});
