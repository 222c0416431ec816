import { describe, expect, it, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type Load, shownIn, useSite } from '../helpers/use-site.ts';

const site = useSite({
  articles: () => makeArticles(30, { words: [5, 10] }),
  options: { onInvalid: 'keep' },
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
    });
  }

  test('is a problem of that article, which fails the load by default', async () => {
    site.service.change(7, { content: 'changed' });
    site.strike(isOneOf('7'), missing);
    const failure = await site.loadFails({ onInvalid: 'fail' });
    expect(failure).toMatchObject({ code: 'invalid-articles', problems: [{ id: '7' }] });
  });

  test('is reported when it was never shown, and all others are shown', async () => {
    site.service.options.rows = 'summary';
    site.service.add({ id: 31, title: 'New', content: 'new', cover_image: null });
    site.strike(isOneOf('31'), missing);
    for (let build = 0; build < 2; build++) {
      const load = await site.load();
      expect(ids(load)).toEqual(upTo(30));
      expect(load.warnings).toEqual([expect.stringContaining('"31"')]);
    }
  });

  it('is removed when the listing no longer contains it afterwards', async () => {
    for (const { id } of site.service.articles) site.service.change(id, { content: `new ${id}` });
    site.service.beforeResponse = ({ kind }) => {
      if (kind !== 'article') return;
      site.service.beforeResponse = undefined;
      site.service.remove(30);
    };
    const load = await site.load({ concurrency: 1 });
    expect(ids(load)).toEqual(upTo(29));
    expect(load.warnings).toEqual([]);
  });

  it('is kept after a single 404', async () => {
    site.service.change(7, { content: 'changed' });
    site.strike(isOneOf('7'), missing, 1);
    const load = await site.loadExactly();
    expect(load.warnings).toEqual([]);
  });
});

describe('an article that the listing lacks', () => {
  /** Adds an article between all pages of the listing, so that no listing is certain to be complete. */
  function changeBetweenPages(): void {
    let serial = 0;
    site.service.beforeResponse = ({ kind, offset }) => {
      if (kind !== 'list' || !offset) return;
      serial += 1;
      site.service.add({ id: `n${serial}`, title: 'New', content: 'new', cover_image: null });
    };
    site.service.options.maxLimit = 10;
  }

  it('is removed when two complete listings lack it', async () => {
    site.service.remove(7);
    await site.loadExactly();
    expect(site.service.count('list')).toBe(2);
  });

  test('is removed by its own 404 while the listing changes between all pages', async () => {
    site.service.remove(7);
    changeBetweenPages();
    const load = await site.load();
    expect(load.failure).toBeUndefined();
    expect(load.entries.has('7')).toBe(false);
    for (const id of upTo(30)) if (id !== 7) expect(load.entries.has(String(id))).toBe(true);
  });

  it('is kept when its own URL responds with it while the listing changes between all pages', async () => {
    const hide = (value: unknown) => {
      const page = Object(value);
      return { ...page, results: page.results.filter((row: { id: number }) => row.id !== 7) };
    };
    site.strike('list', { kind: 'rewrite', rewrite: hide });
    changeBetweenPages();
    const load = await site.load();
    expect(load.failure).toBeUndefined();
    expect(load.entries.has('7')).toBe(true);
  });

  test('is not hidden by one that is added while another is removed', async () => {
    const counted = makeArticles(10, { words: [5, 10] });
    site.service.replace(counted);
    site.service.options.maxLimit = 4;
    site.service.beforeResponse = ({ kind, offset }) => {
      if (kind !== 'list' || !offset) return;
      site.service.beforeResponse = undefined;
      // The count is the same as before, and all rows after the removed one move up by one place.
      site.service.remove(10);
      site.service.replace([
        ...site.service.articles,
        { id: 'old', title: 'Old', content: 'old', cover_image: null },
      ]);
    };
    await site.loadExactly({ allowEmpty: true }, { collection: 'fresh' });
  });
});

describe('a listing that would hide most of what the site shows', () => {
  const shapes: [string, (row: Record<string, unknown>) => object][] = [
    ['renames content', ({ content, ...row }) => ({ ...row, text: content })],
    ['sends null for content', (row) => ({ ...row, content: null })],
    ['sends an empty text for content', (row) => ({ ...row, content: '' })],
    ['sends null for title', (row) => ({ ...row, title: null })],
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
      for (const trustList of [false, true]) {
        const failure = await site.loadFails({ trustList });
        expect(failure.name).toMatch(/^Articles/);
        expect(failure.hint).toBeTruthy();
      }
    });
  }

  test('fails the load when more than half become drafts, unless `allowEmpty` is set', async () => {
    for (const id of upTo(16)) site.service.change(id, { content: '' });
    expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
    const load = await site.load({ allowEmpty: true });
    expect(ids(load)).toEqual(upTo(30).slice(16));
  });

  it('hides half of them without an error', async () => {
    for (const id of upTo(15)) site.service.change(id, { content: '' });
    const load = await site.load();
    expect(ids(load)).toEqual(upTo(30).slice(15));
  });

  it('fails the load when a change of `drafts` hides most articles', async () => {
    for (const id of upTo(30)) site.service.change(id, { content: '' });
    const shown = await site.load({ drafts: 'include' });
    expect(shown.entries.size).toBe(30);
    await site.loadFails();
  });

  it('fails the load when articles are removed and others become drafts', async () => {
    for (const id of upTo(8)) site.service.change(id, { content: '' });
    for (const id of upTo(16).slice(8)) site.service.remove(id);
    expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
  });

  test.each([
    ['empties a collection', 19, 0],
    ['more than halves a collection', 20, 9],
  ])('fails the load when it %s, unless `allowEmpty` is set', async (_, before, after) => {
    const articles = makeArticles(before, { words: [5, 10] });
    site.service.replace(articles);
    await site.loadExactly({ allowEmpty: true });
    site.service.replace(articles.slice(0, after));
    expect(await site.loadFails()).toMatchObject({ code: 'mass-removal' });
    const load = await site.loadExactly({ allowEmpty: true });
    expect(load.entries.size).toBe(after);
  });

  it('fails the first load of a service without any article', async () => {
    site.service.replace([]);
    const failure = await site.loadFails({}, { collection: 'fresh' });
    expect(failure).toMatchObject({ code: 'mass-removal' });
  });
});

describe('a `count` that means “in this page”', () => {
  const perPage = (value: unknown) => {
    const { results } = Object(value);
    return { count: results.length, results };
  };

  test('does not end the listing', async () => {
    site.service.replace(makeArticles(120, { words: [5, 10] }));
    site.service.options.maxLimit = 50;
    site.strike('list', { kind: 'rewrite', rewrite: perPage });
    const load = await site.loadExactly({ trustList: true, pageSize: 50 });
    expect(load.entries.size).toBe(120);
  });

  test('does not end it either when the last page is full', async () => {
    site.service.replace(makeArticles(100, { words: [5, 10] }));
    site.service.options.maxLimit = 50;
    site.strike('list', { kind: 'rewrite', rewrite: perPage });
    await site.loadExactly({ trustList: true, pageSize: 50 });
  });

  it('costs no request when `next` is null', async () => {
    site.service.options.maxLimit = 30;
    await site.loadExactly({ pageSize: 30 });
    expect(site.service.count('list')).toBe(1);
  });
});

it('an article that comes back after it was removed is shown again', async () => {
  const [first, ...others] = site.service.articles;
  if (!first) throw new Error('no article');
  site.service.replace(others);
  expect(shownIn(await site.loadExactly())).toHaveLength(29);
  site.service.replace([first, ...others]);
  await site.loadExactly();
});
