import { readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { encodeHistory } from '../../src/redirects/history.ts';
import { indexFile, pathsFile } from '../helpers/mirror-folder.ts';
import { allowRemoval, type Load, useSite } from '../helpers/use-site.ts';

const site = useSite({
  articles: () => makeArticles(30, { words: [5, 10] }),
  options: { failOn: ['service'] },
  loaded: true,
});

const ids = ({ entries }: Load) => [...entries.keys()].map(Number).toSorted((a, b) => a - b);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const missing = { kind: 'status', status: 404 } as const;
const isOneOf =
  (...wanted: string[]) =>
  ({ id }: { id?: string }) =>
    id !== undefined && wanted.includes(id);

describe('a listed article whose own URL responds 404', () => {
  const absent = ['3', '7', '11', '19'];

  for (const rows of ['full', 'summary'] as const) {
    test(`is kept while the listing contains it (${rows} rows)`, async () => {
      site.service.options.rows = rows;
      for (const id of absent) site.service.change(id, { content: 'changed' });
      site.strike(isOneOf(...absent), missing);
      for (let build = 0; build < 2; build++) {
        const load = await site.load();
        expect(load.failure).toBeUndefined();
        expect(ids(load)).toEqual(upTo(30));
        for (const id of absent) expect(load.warnings.join('\n')).toContain(`"${id}"`);
      }
      const failure = await site.loadFails({ failOn: ['articles', 'service'] });
      expect(failure.code).toBe('invalid-articles');
      expect(failure.notices?.flatMap(({ ids }) => ids).toSorted()).toEqual(absent.toSorted());
    });
  }
});

test('an article is gone when its URL responds 404, also if no other article can be used', async () => {
  site.service.remove('30');
  for (const id of upTo(29)) site.service.change(`${id}`, { content: 7 });
  site.service.clearRequests();
  const load = await site.load();
  expect(load.failure).toBeUndefined();
  expect(ids(load)).toEqual(upTo(29));
  // No second reading of the listing was necessary.
  expect(site.service.count('list')).toBe(1);
});

test('requests an unlisted article once with `rows: "whole"`', async () => {
  const file = pathsFile(await site.mirror());
  await writeFile(file, encodeHistory(new Map([['gone', new Map([['0 gone-title', 1]])]])));
  site.strike('article', missing);
  const requested = async () => {
    site.service.clearRequests();
    expect((await site.load({ rows: 'whole' })).failure).toBeUndefined();
    return site.service.requests.some(({ id }) => id === 'gone');
  };
  expect([await requested(), await requested()]).toEqual([true, false]);
});

describe('unlisted articles whose own URLs respond 401, as drafts of some services do', () => {
  const hidden = upTo(12).map(String);
  const forbidden = { kind: 'status', status: 401 } as const;

  test('are left out by one load, and cost later loads neither a request nor a wait', async () => {
    for (const id of hidden) site.service.remove(Number(id));
    site.strike(isOneOf(...hidden), forbidden);
    expect(ids(await site.load())).toEqual(upTo(30).slice(12));
    for (let build = 0; build < 2; build++) {
      site.service.clearRequests();
      expect(ids(await site.load())).toEqual(upTo(30).slice(12));
      expect([site.service.count('list'), site.service.count('article')]).toEqual([1, 0]);
    }
    // They keep their slugs, and come back with the listing.
    const file = await readFile(pathsFile(await site.mirror()), 'utf8').catch(() => '');
    site.service.replace(makeArticles(30, { words: [5, 10] }));
    const back = await site.load({}, { env: {} });
    expect(back.failure).toBeUndefined();
    expect(await readFile(pathsFile(await site.mirror()), 'utf8').catch(() => '')).toBe(file);
  });
});

describe('a listing that would hide most of what the site shows', () => {
  const shapes: [string, (row: Record<string, unknown>) => object][] = [
    ['renames content', ({ content, ...row }) => ({ ...row, text: content })],
    ['sends an empty text for content', (row) => ({ ...row, content: '' })],
  ];

  for (const [change, rewriteRow] of shapes) {
    test(`fails the load when the service ${change} for all articles`, async () => {
      const rewrite = (value: unknown) => {
        const page = Object(value);
        return 'results' in page
          ? { ...page, results: page.results.map(rewriteRow) }
          : rewriteRow(page);
      };
      site.strike('any', { kind: 'rewrite', rewrite });
      for (const rows of ['compare', 'whole'] as const) {
        expect(await site.loadFails({ rows })).toMatchObject({ code: 'mass-removal' });
      }
    });
  }

  it('fails the load if a change of `drafts` hides all articles, but not if it hides most', async () => {
    for (const drafts of [20, 30]) {
      for (const id of upTo(drafts)) site.service.change(id, { content: '' });
      await rm(await site.mirror(), { recursive: true });
      const shown = await site.load({ drafts: 'include' });
      expect(shown.entries.size).toBe(30);
      if (drafts === 30) await site.loadFails();
      else expect((await site.load()).entries.size).toBe(10);
    }
  });

  test.each([
    ['empties a collection', 19, 0],
    ['more than halves a collection', 20, 9],
  ])(
    'fails the load when it %s, unless ARTICLES_ALLOW_REMOVAL is set',
    async (_, before, after) => {
      const articles = makeArticles(before, { words: [5, 10] });
      site.service.replace(articles);
      await site.loadExactly({}, allowRemoval);
      site.service.replace(articles.slice(0, after));
      expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
      const load = await site.loadExactly({}, allowRemoval);
      expect(load.entries.size).toBe(after);
    },
  );
});

describe('without an index of the mirror', () => {
  /** Replaces the slugs of the mirror by those of articles, and removes its index. */
  async function publish(...published: number[]) {
    const folder = await site.mirror();
    const slugs = published.map((id) => [`${id}`, new Map([[`0 former-${id}`, 1]])] as const);
    await writeFile(pathsFile(folder), encodeHistory(new Map(slugs)));
    await rm(indexFile(folder));
    return async () => {
      const text = await readFile(pathsFile(folder), 'utf8');
      return Array.from(text.matchAll(/^\["(\d+)"/gm), ([, id]) => id);
    };
  }

  it('an article that was removed since a build keeps its slugs in the mirror', async () => {
    const idsOnDisk = await publish(30, 31);
    await site.loadExactly();
    expect(await idsOnDisk()).toEqual(['30', '31']);
  });

  it('does not report as kept a published article that cannot be fetched', async () => {
    await publish(31);
    site.strike(isOneOf('31'), { kind: 'status', status: 400 });
    const addRow = (page: unknown) => ({ ...Object(page), results: [...Object(page).results, {}] });
    site.strike('list', { kind: 'rewrite', rewrite: addRow });
    const { failure, warnings } = await site.load();
    expect(failure).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('row 31 of the listing')]);
  });
});
