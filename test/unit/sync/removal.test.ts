import { describe, expect, test, vi } from 'vitest';
import type { ArticlesClient } from '../../../src/client/client.ts';
import type { IndexedArticle } from '../../../src/mirror/index-file.ts';
import { checkMassRemoval } from '../../../src/sync/mass-removal.ts';
import { decideRemovals } from '../../../src/sync/removal.ts';

const indexed = (id: string, draft = false): IndexedArticle => ({
  ...{ id, title: id, digest: 'd', object: 'o', cover: null, draft },
});

describe('decideRemovals', () => {
  type Decision = 'keep' | 'gone' | 'contradiction';
  // Each combination of evidence. Only a listed article whose own response was 404 makes it read the listing again.
  const table: [
    listed: boolean,
    provenGone: boolean,
    missing: boolean,
    later: boolean,
    Decision,
  ][] = [
    [true, false, false, true, 'keep'],
    [true, false, true, true, 'contradiction'],
    [true, false, true, false, 'gone'],
    [false, false, false, false, 'keep'],
    [false, false, true, false, 'gone'],
    [false, true, false, false, 'gone'],
    [false, true, true, false, 'gone'],
  ];

  test.each(table)(
    'listed %s, proven gone %s, 404 for itself %s, listed afterwards %s: %s',
    async (listed, provenGone, missing, later, expected) => {
      const listing = {
        rows: listed ? [{ id: 'a' }] : [],
        gone: provenGone ? ['a'] : [],
        ...{ left: [], older: 0 },
        problems: [],
        notes: [],
      };
      const survey = async () => ({ ids: later ? ['a'] : [] });
      const { ids, contradictions } = await decideRemovals(listing, {
        responded404: new Set(missing ? ['a'] : []),
        found: new Set(['b']),
        before: new Map([['a', indexed('a')]]),
        client: { survey } as unknown as ArticlesClient,
        signal: new AbortController().signal,
        deadline: 0,
      });
      const kept: Decision = contradictions.length > 0 ? 'contradiction' : 'keep';
      expect(ids.length > 0 ? kept : 'gone').toBe(expected);
    },
  );
});

describe('a service that responds 404 to every request for an article', () => {
  test.each([
    ['keeps the article, because the endpoint may not exist', undefined, ['b', 'a']],
    ['loses the article, because another one can be fetched', indexed('b'), ['b']],
  ])('%s', async (_, fetched, expected) => {
    const getArticle = vi.fn(async (_: string) => fetched);
    const { ids, unproven } = await decideRemovals(
      {
        rows: ['d', 'c', 'b'].map((id) => ({ id })),
        gone: [],
        ...{ left: [], older: 0 },
        problems: [],
        notes: [],
        unproven: 'it is doubtful',
      },
      {
        responded404: new Set(['a']),
        found: new Set(),
        before: new Map(['d', 'c', 'a'].map((id) => [id, indexed(id)])),
        client: { getArticle } as unknown as ArticlesClient,
        signal: new AbortController().signal,
        deadline: 0,
      },
    );
    expect(ids).toEqual(['d', 'c', ...expected]);
    // The oldest one that an earlier load has found.
    expect(getArticle.mock.calls).toEqual([['c', expect.anything()]]);
    expect(unproven).toBe(fetched ? undefined : 'it is doubtful');
  });
});

describe('checkMassRemoval', () => {
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `${from + at}`);
  const change = (before: number, after: string[], drafts = 0) => ({
    load: {
      versions: ids(30).map((id, at) => ({ article: indexed(id, at < drafts) })),
      left: new Set<string>(),
      problems: [],
      traffic: { requests: 1, retries: 0, pauses: 0, unchanged: 0 },
    },
    shown: { before: ids(before).map((id) => ({ id })), after: new Set(after), allowEmpty: false },
  });
  const check = ({ load, shown }: ReturnType<typeof change>) => checkMassRemoval(load, shown);

  const passing = {
    'nothing is hidden': change(30, ids(30)),
    'half is hidden': change(30, ids(15)),
    'a small collection loses most': change(19, ids(1)),
    'it is a first load': change(0, ids(30)),
  };
  test.each(Object.entries(passing))('passes when %s', (_, counts) => {
    expect(() => check(counts)).not.toThrow();
  });

  const failing = {
    'more than half is hidden': change(30, ids(14)),
    'more than half of twenty is hidden': change(20, ids(9)),
    'everything is hidden': change(3, []),
    'every article becomes a draft': change(30, [], 30),
    'the first load shows nothing': change(0, [], 30),
    'others take the place of most': change(30, [...ids(14), ...ids(60, 100)]),
  };
  test.each(Object.entries(failing))('fails when %s', (_, counts) => {
    expect(() => check(counts)).toThrow(expect.objectContaining({ code: 'mass-removal' }));
  });

  test('counts no article that is older than the newest ones', () => {
    const { load, shown } = change(30, ids(10));
    expect(() => checkMassRemoval({ ...load, left: new Set(ids(20, 10)) }, shown)).not.toThrow();
    expect(() => checkMassRemoval({ ...load, left: new Set(ids(5, 10)) }, shown)).toThrow();
  });

  test('passes with `allowEmpty`', () => {
    const { load, shown } = change(30, []);
    expect(() => checkMassRemoval(load, { ...shown, allowEmpty: true })).not.toThrow();
  });

  test('says how many articles `transform` or the schema leave out', () => {
    expect(() => check(change(30, ids(10)))).toThrow(
      "The service lists 30 articles, 20 left out by `transform` or by the collection's schema. " +
        '20 of the 30 articles that the site shows would disappear.',
    );
  });

  test('says how many articles cannot be used, and why', () => {
    const { load, shown } = change(30, ids(10));
    // The last good version of the first one is shown.
    const problems = ['1', '20'].map((id) => ({ id, reason: 'it is broken' }));
    expect(() => checkMassRemoval({ ...load, problems }, shown)).toThrow(
      'The service lists 30 articles, 1 of them cannot be used (article "20": it is broken), ' +
        "19 left out by `transform` or by the collection's schema.",
    );
  });

  test('says how many articles are drafts', () => {
    expect(() => check(change(30, [], 30))).toThrow(
      'The service lists 30 articles, 30 of them drafts (without `title` or `content`). ' +
        'All articles that the site shows would disappear.',
    );
  });
});
