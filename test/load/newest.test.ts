import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { encodeHistory } from '../../src/redirects/history.ts';
import { pathsFile } from '../helpers/mirror-folder.ts';
import { type Load, offline, useSite } from '../helpers/use-site.ts';

const count = 70;
const newest = 30;
const options = { newest, pageSize: 10 };
/** The requests of a load for its listing: pages overlap by one row, so three pages of 10 have 28 articles. */
const lists = 4;
const site = useSite({ articles: () => makeArticles(count, { words: [5, 20] }), options });

/** Loads once, and counts the requests. */
async function load(...args: Parameters<typeof site.load>) {
  site.service.clearRequests();
  const loaded = await site.load(...args);
  expect(loaded.failure).toBeUndefined();
  const { service } = site;
  return { ...loaded, lists: service.count('list'), articles: service.count('article') };
}

/** The ids of a collection, the newest first. */
function idsOf({ entries }: Load): number[] {
  return [...entries.values()]
    .toSorted((a, b) => Number(b.data.position) - Number(a.data.position))
    .map(({ id }) => Number(id));
}

const idsDownFrom = (highest: number, length = newest) =>
  Array.from({ length }, (_, index) => highest - index);
const positionsOf = ({ entries }: Load) =>
  [...entries.values()].map(({ data }) => Number(data.position)).toSorted((a, b) => b - a);
const addArticle = (id: number) =>
  site.service.add({ id, title: `Title ${id}`, content: 'Text.', cover_image: null });

describe('with `newest`, a load', () => {
  it('requests the newest articles only, and those that changed later', async () => {
    const first = await load();
    expect(idsOf(first)).toEqual(idsDownFrom(count));
    expect(first).toMatchObject({ lists, articles: newest });
    expect(await load()).toMatchObject({ lists, articles: 0 });
    site.service.change(45, { content: 'Changed among the newest.' });
    site.service.change(7, { content: 'Changed elsewhere.' });
    const later = await load();
    expect(later).toMatchObject({ lists, articles: 1 });
    expect(later.entries.get('45')?.body).toBe('Changed among the newest.');
  });

  it('drops what leaves, without a proof, a failure or a removal', async () => {
    await load();
    for (let id = 71; id <= 91; id++) addArticle(id);
    const later = await load();
    expect(idsOf(later)).toEqual(idsDownFrom(91));
    expect(later).toMatchObject({ lists, articles: 21, warnings: [] });
    expect(later.log).toContain(
      '30 articles shown: 21 added, 0 updated, 9 unchanged, 0 removed, 21 no longer among the newest;',
    );
  });

  it('keeps the slugs of older articles', async () => {
    const few = { newest: 10 };
    await load(few);
    const file = pathsFile(await site.mirror());
    const serial = 1;
    await writeFile(file, encodeHistory(new Map([['65', new Map([['0 former', serial]])]])));
    for (let id = 71; id <= 80; id++) addArticle(id);
    await load(few);
    expect(await readFile(file, 'utf8')).toContain('former');
  });

  it('proves what is gone, while there are fewer articles than it loads', async () => {
    site.service.replace(makeArticles(newest, { words: [5, 20] }));
    await load();
    site.service.remove(20);
    const later = await load();
    expect(idsOf(later)).toEqual(idsDownFrom(newest).filter((id) => id !== 20));
    expect(positionsOf(later)).toEqual(idsDownFrom(newest - 1, newest - 1));
    expect(later.log).toMatch(/0 added, 0 updated, 29 unchanged, 1 removed \("20"\); /);
    site.service.replace(makeArticles(8, { words: [5, 20] }));
    expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
  });

  it('follows a change of `newest`, also without requests', async () => {
    await load({ newest: 50 });
    const fewer = await load({ newest: 20 });
    expect(idsOf(fewer)).toEqual(idsDownFrom(count, 20));
    // Two pages have 19 articles.
    expect(fewer).toMatchObject({ lists: 3, articles: 0, warnings: [] });
    const more = await load({ newest: 40 });
    expect(idsOf(more)).toEqual(idsDownFrom(count, 40));
    expect(more).toMatchObject({ articles: 20, warnings: [] });
    const kept = await load({ newest: 20 }, offline);
    expect(idsOf(kept)).toEqual(idsDownFrom(count, 20));
    expect(positionsOf(kept)).toEqual(idsDownFrom(count, 20));
    const all = await load({ newest: undefined });
    expect(idsOf(all)).toEqual(idsDownFrom(count, count));
    expect(idsOf(await load({ newest: 25 }))).toEqual(idsDownFrom(count, 25));
  });
});

describe('`position`', () => {
  it('is that in the whole listing, where the service counts it', async () => {
    const first = await load();
    expect(positionsOf(first)).toEqual(idsDownFrom(count));
    addArticle(71);
    const later = await load();
    for (const [id, { data }] of later.entries) expect(data.position).toBe(Number(id));
  });

  it('is that among the newest articles otherwise', async () => {
    site.service.options.envelope = 'array';
    expect(positionsOf(await load())).toEqual(idsDownFrom(newest));
  });
});
