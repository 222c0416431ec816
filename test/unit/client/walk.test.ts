import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeListed, type Row } from '../../../src/client/article.ts';
import type { ListedArticle } from '../../../src/client/index.ts';
import type { ListingPage } from '../../../src/client/listing/page.ts';
import { survey } from '../../../src/client/listing/survey.ts';
import { walk } from '../../../src/client/listing/walk.ts';

interface Listing {
  ids: (string | number)[];
  /** The most rows it gives at once. */
  clamp?: number;
  signs?: 'all' | 'count' | 'next' | 'none';
  ignore?: 'offset' | 'both';
  /** Changes the listing before a page is answered. */
  before?: (ids: (string | number)[], request: number) => void;
}

const rowsOf = (ids: (string | number)[]): Row[] =>
  ids.map((id) => decodeListed({ id, title: 't', content: 'c', cover_image: null }, 1));

/** A listing that answers as services do, with nothing between it and the walk. */
function askPageOf({ ids, clamp = 500, signs = 'all', ignore, before }: Listing) {
  const asked: { offset: number; limit: number }[] = [];
  const askPage = async ({
    offset,
    limit,
  }: {
    offset: number;
    limit: number;
  }): Promise<ListingPage<Row>> => {
    asked.push({ offset, limit });
    before?.(ids, asked.length);
    const start = ignore ? 0 : offset;
    const rows = ids.slice(
      start,
      start + (ignore === 'both' ? ids.length : Math.min(limit, clamp)),
    );
    return {
      rows: rowsOf(rows),
      envelope: 'results',
      ...(signs === 'all' || signs === 'count' ? { count: ids.length } : {}),
      ...(signs === 'all' || signs === 'next' ? { more: start + rows.length < ids.length } : {}),
    };
  };
  return { askPage, asked };
}

const options = { pageSize: 500, concurrency: 4 };
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

describe('a walk', () => {
  it('sees every id once and in order, however the service pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('all', 'count', 'next', 'none'),
        fc.integer({ min: 1, max: 9 }),
        async (count, clamp, pageSize, signs, concurrency) => {
          const ids = idsUpTo(count);
          const { askPage, asked } = askPageOf({ ids, clamp, signs });
          const rows: ListedArticle[] = [];
          const onRows = (page: ListedArticle[]) => void rows.push(...page);
          const walked = await walk(askPage, { pageSize, concurrency, onRows });
          expect(walked.ids).toEqual(ids);
          expect([...walked.doubts]).toEqual([]);
          expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
          expect(asked.every(({ limit }) => limit <= pageSize)).toBe(true);
        },
      ),
    );
  });

  it('asks for no page twice when there is a count', async () => {
    const { askPage, asked } = askPageOf({ ids: idsUpTo(2_000) });
    await walk(askPage, options);
    expect(asked.map(({ offset }) => offset).toSorted((a, b) => a - b)).toEqual([
      0, 500, 1000, 1500,
    ]);
  });

  it('takes a service that ignores limit and offset for one that gives all at once', async () => {
    const { askPage } = askPageOf({ ids: idsUpTo(30), signs: 'none', ignore: 'both' });
    const { ids, doubts } = await walk(askPage, options);
    expect(ids).toHaveLength(30);
    expect(doubts.size).toBe(0);
  });

  it.each(['all', 'count', 'next', 'none'] as const)(
    'refuses an ignored offset (signs: %s)',
    async (signs) => {
      const { askPage } = askPageOf({ ids: idsUpTo(30), clamp: 10, signs, ignore: 'offset' });
      await expect(survey(() => walk(askPage, options), [])).rejects.toMatchObject({
        code: 'offset-ignored',
      });
    },
  );

  it('refuses ids that differ only in type', async () => {
    const { askPage } = askPageOf({ ids: [1, '1'] });
    await expect(walk(askPage, options)).rejects.toMatchObject({ code: 'id-clash' });
  });

  it('ends, whatever nonsense the service answers', async () => {
    const page = fc.record(
      {
        rows: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }).map(rowsOf),
        envelope: fc.constant('results'),
        count: fc.integer({ min: 0, max: 40 }),
        more: fc.boolean(),
      },
      { requiredKeys: ['rows', 'envelope'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(page), async (pages) => {
        let asked = 0;
        const askPage = async () => {
          asked += 1;
          return pages.next().value as ListingPage<Row>;
        };
        await walk(askPage, { pageSize: 5, concurrency: 3 }).catch((error) => {
          expect(error.name).toBe('ArticlesListingError');
        });
        expect(asked).toBeLessThan(200);
      }),
    );
  });
});

/** Changes that once led a survey astray. */
const oncePuzzling: [number, { request: number; at: number; insert: boolean }[], 'all' | 'none'][] =
  [
    [2, [{ request: 2, at: 0, insert: true }], 'none'],
    [
      2,
      [
        { request: 3, at: 0, insert: false },
        { request: 2, at: 0, insert: true },
      ],
      'none',
    ],
    [
      4,
      [
        { request: 2, at: 0, insert: false },
        { request: 1, at: 0, insert: true },
        { request: 8, at: 0, insert: false },
      ],
      'all',
    ],
  ];

describe('a survey', () => {
  const surveyOf = (listing: Listing, known: string[] = []) => {
    const { askPage, asked } = askPageOf(listing);
    return survey(() => walk(askPage, { pageSize: 3, concurrency: 2 }), known).then((found) => ({
      ...found,
      asked,
    }));
  };

  it('needs one walk when nothing speaks against it', async () => {
    expect(await surveyOf({ ids: idsUpTo(8) }, ['id-1'])).toMatchObject({
      walks: 1,
      gone: [],
    });
  });

  it('proves with a second walk that an article is gone', async () => {
    expect(await surveyOf({ ids: idsUpTo(8) }, ['id-1', 'old'])).toMatchObject({
      walks: 2,
      gone: ['old'],
    });
  });

  it('refuses a listing with a page that stays empty in the middle', async () => {
    const { askPage } = askPageOf({ ids: idsUpTo(20), clamp: 4 });
    const gapped = async (query: { offset: number; limit: number }) => {
      const page = await askPage(query);
      return query.offset === 8 ? { ...page, rows: [] } : page;
    };
    await expect(
      survey(() => walk(gapped, { pageSize: 4, concurrency: 4 }), []),
    ).rejects.toMatchObject({
      code: 'listing-incomplete',
    });
  });

  it('proves nothing when the service says that there are more, even if it states the end', async () => {
    const { askPage } = askPageOf({ ids: idsUpTo(4) });
    const boasting = async (query: { offset: number; limit: number }) => ({
      ...(await askPage(query)),
      count: 6,
    });
    const found = await survey(() => walk(boasting, options), ['old']);
    expect(found).toMatchObject({
      gone: [],
      unproven: expect.stringContaining('has 6 articles, but lists 4'),
    });
  });

  it('asks for no more pages once one has failed', async () => {
    const { askPage, asked } = askPageOf({ ids: idsUpTo(400), clamp: 4 });
    const failing = async (query: { offset: number; limit: number }) => {
      if (query.offset === 8) throw new Error('broken');
      return askPage(query);
    };
    await expect(walk(failing, { pageSize: 4, concurrency: 4 })).rejects.toThrow('broken');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked.length).toBeLessThan(12);
  });

  it('refuses a listing that has more than it gives', async () => {
    const short = async () => ({
      ids: ['a'],
      problems: [],
      doubts: new Set(['short'] as const),
      endStated: false,
      complete: false,
      count: 9,
      envelope: 'results',
    });
    await expect(survey(short, [])).rejects.toMatchObject({ code: 'listing-incomplete' });
  });

  it('finds all that stays, when articles come and go while it walks', async () => {
    const change = fc.record({
      request: fc.integer({ min: 1, max: 8 }),
      at: fc.nat(20),
      insert: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.array(change, { maxLength: 3 }),
        fc.constantFrom('all', 'count', 'none'),
        async (count, changes, signs) => {
          const removed = new Set<string | number>();
          let serial = 0;
          const before = (ids: (string | number)[], request: number) => {
            for (const { at, insert } of changes.filter((each) => each.request === request)) {
              if (insert) ids.unshift(`new-${serial++}`);
              else for (const id of ids.splice(at % Math.max(1, ids.length), 1)) removed.add(id);
            }
          };
          const known = idsUpTo(count);
          const found = await surveyOf({ ids: [...known], signs, before }, known);
          const staying = known.filter((id) => !removed.has(id));
          // Nothing that is still there may be taken for gone.
          expect(found.gone.filter((id) => !removed.has(id))).toEqual([]);
          if (!found.unproven) expect(found.ids).toEqual(expect.arrayContaining(staying));
        },
      ),
      { examples: oncePuzzling },
    );
  });
});

describe('a service that says more follows', () => {
  const three = { rows: rowsOf(['a', 'b', 'c']), envelope: 'results', more: true };

  it('and then gives nothing is not believed to have nothing', async () => {
    const askPage = async ({ offset }: { offset: number }): Promise<ListingPage<Row>> =>
      offset === 0 ? three : { rows: [], envelope: 'results', more: false };
    await expect(survey(() => walk(askPage, options), ['d'])).rejects.toMatchObject({
      code: 'listing-incomplete',
    });
  });

  it('and gives only the row that overlaps is asked for what comes behind it', async () => {
    const all = rowsOf(['a', 'b', 'c', 'd', 'e']);
    // One large article fills a page by itself.
    const askPage = async ({ offset }: { offset: number }): Promise<ListingPage<Row>> => {
      const rows = offset === 2 ? all.slice(2, 3) : all.slice(offset, offset + 3);
      return { rows, envelope: 'results', more: offset + rows.length < all.length };
    };
    const walked = await walk(askPage, options);
    expect(walked.ids).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
