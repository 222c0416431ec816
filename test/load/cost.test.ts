import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions, Transform } from '../../src/options/options.ts';
import type { TestLoaderContext } from '../helpers/loader-context.ts';
import { corrupt, renderingsOf } from '../helpers/mirror-folder.ts';
import { type LoadMore, useSite } from '../helpers/use-site.ts';

// P5: an unchanged article costs no request of its own, no rendering, no parsing and no image work.

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
  /** Entries that the schema parsed. */
  parsed: number;
  /** Entries that were written to Astro's store. */
  stored: number;
}

/** Loads once, and counts the cost. */
async function load(options: ArticlesOptions = {}, more: LoadMore = {}) {
  site.service.clearRequests();
  let renders = 0;
  let parsed = 0;
  const adapt = (context: TestLoaderContext): TestLoaderContext => ({
    ...context,
    renderMarkdown(...args) {
      renders += 1;
      return context.renderMarkdown(...args);
    },
    parseData(...args) {
      parsed += 1;
      return context.parseData(...args);
    },
  });
  const { failure, written } = await site.load(options, { ...more, adapt });
  expect(failure).toBeUndefined();
  const cost: Cost = {
    lists: site.service.count('list'),
    articles: site.service.count('article'),
    images: site.service.count('media'),
    renders,
    parsed,
    stored: written.length,
  };
  return { cost };
}

const store = () => join(site.root, 'cache/data-store.json');
const nothing: Cost = { lists: 1, articles: 0, images: 0, renders: 0, parsed: 0, stored: 0 };

describe('P5: a load costs', () => {
  it('the listing, each article, image and rendering, the first time', async () => {
    await rm(join(site.root, 'cache'), { recursive: true });
    const { cost } = await load();
    expect(cost).toMatchObject({ lists: 1, articles: count, images: 1, stored: count });
    // The package renders one document to see which classes the site's Markdown plugins write.
    expect(cost.renders).toBeLessThanOrEqual(count + 1);
  });

  it('one article, one rendering and its cover when one has changed', async () => {
    await load();
    site.service.change(7, { content: 'Changed.' });
    const { cost } = await load();
    // Its cover may have been replaced with it.
    const entry = { articles: 1, images: 1, parsed: 1, stored: 1 };
    expect({ ...cost, renders: 0 }).toEqual({ ...nothing, ...entry });
    expect(cost.renders).toBeLessThanOrEqual(1 + 1);
  });

  it('no rendering when an article is removed, but new positions for the later ones', async () => {
    site.service.remove(7);
    const { cost } = await load();
    // It is requested twice, and another one to show that the service responds with articles.
    expect(cost).toMatchObject({ lists: 1, articles: 3, images: 0, renders: 0 });
    expect(cost).toMatchObject({ parsed: count - 7, stored: count - 7 });
  });

  it.each(['build', 'dev'] as const)(
    'no request and no rendering when Astro has cleared its store, in %s',
    async (command) => {
      await load();
      await rm(store());
      const { cost } = await load({}, { command });
      expect(cost).toEqual({ ...nothing, parsed: count, stored: count });
    },
  );

  it('pages of the listing only, the first time too, with `rows: "whole"`', async () => {
    await rm(join(site.root, 'cache'), { recursive: true });
    const { cost } = await load({ rows: 'whole', pageSize: 10 });
    expect(cost).toMatchObject({ articles: 0, stored: count });
    expect(cost.lists).toBeLessThanOrEqual(4);
  });

  it('no download of a cover that `transform` has set, after the first one', async () => {
    const transform: Transform = (article) => ({ ...article, cover_image: '/media/snow.jpg' });
    expect((await load({ transform })).cost.images).toBe(1);
    expect((await load({ transform })).cost).toEqual(nothing);
  });

  it.each<[string, ArticlesOptions, string[], images: number]>([
    ['when allowed tags have changed, and no request', { sanitize: { tags: ['center'] } }, [], 0],
    ['when relative links have another base, and no request', { links: 'service' }, [], 0],
    ['and a request for the picture, with `--force`', {}, ['--force'], 1],
  ])('every rendering %s', async (_, options, args, images) => {
    process.argv.push(...args);
    const { cost } = await load(options);
    process.argv.length -= args.length;
    expect(cost).toMatchObject({ articles: 0, images });
    expect(cost.renders).toBeGreaterThanOrEqual(count);
    // The same HTML makes the same entries.
    expect(cost.stored).toBe(0);
  });

  it('the parsing of all entries after a change of a file, and in each load of a dev server', async () => {
    await load();
    await writeFile(join(site.root, 'schema.ts'), 'export const schema = {};');
    expect((await load()).cost).toEqual({ ...nothing, parsed: count });
    expect((await load()).cost).toEqual(nothing);
    expect((await load({}, { command: 'dev' })).cost).toEqual({ ...nothing, parsed: count });
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
