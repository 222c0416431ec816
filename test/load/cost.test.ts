import { rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import type { TestLoaderContext } from '../helpers/loader-context.ts';
import { corrupt, filesBelow, renderingsOf } from '../helpers/mirror-folder.ts';
import { type LoadMore, useSite } from '../helpers/use-site.ts';

// P5: an unchanged article costs no request of its own, no rendering and no image work.

const count = 30;
const cover = 'tides.jpg';
const site = useSite({
  articles: () => makeArticles(count, { cover, words: [20, 60] }),
  loaded: true,
});

interface Cost {
  lists: number;
  articles: number;
  images: number;
  /** Markdown documents that were rendered. */
  renders: number;
  /** Entries that were written to Astro's store. */
  stored: number;
  /** The kinds of the written files, or the name of one that is JSON. */
  files: string[];
}

/** Loads once, and counts the cost. */
async function load(options: ArticlesOptions = {}, more: LoadMore = {}) {
  site.service.clearRequests();
  const before = await versionsOfFiles();
  let renders = 0;
  let stored = 0;
  const adapt = (context: TestLoaderContext): TestLoaderContext => ({
    ...context,
    renderMarkdown(...args) {
      renders += 1;
      return context.renderMarkdown(...args);
    },
    store: {
      ...context.store,
      set(entry) {
        stored += 1;
        return context.store.set(entry);
      },
    },
  });
  const loaded = await site.load(options, { ...more, adapt });
  expect(loaded.failure).toBeUndefined();
  const after = await versionsOfFiles();
  const written = [...after].filter(([path, version]) => before.get(path) !== version);
  const cost: Cost = {
    lists: site.service.count('list'),
    articles: site.service.count('article'),
    images: site.service.count('media'),
    renders,
    stored,
    files: written.map(([path]) => kindOf(path)).toSorted(),
  };
  return { ...loaded, cost };
}

function kindOf(path: string): string {
  const name = basename(path);
  if (name.endsWith('.json')) return name;
  return name.endsWith('.pack') ? 'pack' : basename(dirname(path));
}

/** The files of the mirrors, each with the values that change when it is replaced. */
async function versionsOfFiles(): Promise<Map<string, string>> {
  const mirrors = join(site.root, 'cache/astro-articles');
  const names = await filesBelow(mirrors);
  const versions = names.map(async (name): Promise<[string, string]> => {
    const { ino, size } = await stat(join(mirrors, name));
    return [name, `${ino} ${size}`];
  });
  return new Map(await Promise.all(versions));
}

const store = () => join(site.root, 'cache/data-store.json');
const index = ['addresses.json', 'index.json'];
const nothing: Cost = {
  lists: 1,
  articles: 0,
  images: 0,
  renders: 0,
  stored: 0,
  files: index,
};

describe('P5: a load costs', () => {
  it('the listing, each article, image and rendering, a pack, an image and two other files, the first time', async () => {
    await rm(join(site.root, 'cache'), { recursive: true });
    const { cost } = await load();
    expect(cost).toMatchObject({ lists: 1, articles: count, images: 1, stored: count });
    // The package renders one document to see which classes the site's Markdown plugins write.
    expect(cost.renders).toBeLessThanOrEqual(count + 1);
    const numbers = new Map<string, number>();
    for (const name of cost.files) numbers.set(name, 1 + (numbers.get(name) ?? 0));
    const expected = { pack: 1, images: 1, 'index.json': 1, 'addresses.json': 1 };
    expect(Object.fromEntries(numbers)).toEqual(expected);
  });

  it('the listing and two files when nothing has changed', async () => {
    await load();
    expect((await load()).cost).toEqual(nothing);
  });

  it('one article, one rendering, a pack and two other files when one has changed', async () => {
    await load();
    site.service.change(7, { content: 'Changed.' });
    const { cost } = await load();
    expect({ ...cost, renders: 0 }).toEqual({
      ...nothing,
      articles: 1,
      // Its cover may have been replaced with it.
      images: 1,
      stored: 1,
      files: [...index, 'pack'],
    });
    expect(cost.renders).toBeLessThanOrEqual(1 + 1);
  });

  it('no rendering when an article is removed, but new positions for the later ones', async () => {
    site.service.remove(7);
    const { cost } = await load();
    // It is requested twice, and another one to show that the service responds with articles.
    expect(cost).toMatchObject({ lists: 1, articles: 3, images: 0, renders: 0 });
    expect(cost.stored).toBe(count - 7);
  });

  it.each(['build', 'dev'] as const)(
    'no request and no rendering when Astro has cleared its store, in %s',
    async (command) => {
      await load();
      await rm(store());
      expect((await load({}, { command })).cost).toEqual({ ...nothing, stored: count });
    },
  );

  it('pages of the listing only, the first time too, with `rows: "whole"`', async () => {
    await rm(join(site.root, 'cache'), { recursive: true });
    const { cost } = await load({ rows: 'whole', pageSize: 10 });
    expect(cost).toMatchObject({ articles: 0, stored: count });
    expect(cost.lists).toBeLessThanOrEqual(4);
  });

  it.each([
    ['when an option that shapes the HTML has changed', { sanitize: { tags: ['center'] } }, []],
    ['with `--force`', {}, ['--force']],
  ])('every rendering %s, and no request', async (_, options, args) => {
    process.argv.push(...args);
    const { cost } = await load(options);
    process.argv.length -= args.length;
    expect(cost).toMatchObject({ articles: 0, images: 0 });
    expect(cost.renders).toBeGreaterThanOrEqual(count);
    // The same HTML makes the same entries.
    expect(cost.stored).toBe(0);
  });

  it('every rendering that is missing, and no other', async () => {
    const records = await renderingsOf(await site.mirror());
    await corrupt(records.slice(0, 2));
    await rm(store());
    const { cost } = await load();
    expect(cost.stored).toBe(count);
    expect(cost.renders).toBeGreaterThanOrEqual(2);
    expect(cost.renders).toBeLessThanOrEqual(2 + 1);
  });
});
