import { expect, test } from 'vitest';
import { continueHistory } from '../../../src/redirects/continue-history.ts';
import type { SlugHistory } from '../../../src/redirects/history.ts';

type Lines = Record<string, Record<string, number>>;

const historyOf = (lines: Lines): SlugHistory =>
  new Map(Object.entries(lines).map(([id, slugs]) => [id, new Map(Object.entries(slugs))]));

const articles: Lines = { 1: { alpha: 1, beta: 2 }, 2: { tides: 1 }, 3: { storms: 1 } };

interface Case {
  own?: Lines;
  current: Record<string, string>;
  absent?: Record<string, Lines>;
  from: string | undefined;
}

test.each<[string, Case]>([
  [
    'whose articles have their last slugs',
    { current: { 1: 'beta', 2: 'tides' }, from: 'articles' },
  ],
  ['half of whose articles have them', { current: { 1: 'gamma', 2: 'tides' }, from: 'articles' }],
  [
    'of whose articles it lists one only, and has others',
    { current: { 2: 'tides', 8: 'x', 9: 'y' }, from: 'articles' },
  ],
  [
    'whose article has its first slug again',
    {
      current: { 1: 'alpha' },
      absent: { articles: { 1: { alpha: 3, beta: 2 } } },
      from: 'articles',
    },
  ],
  ['with equal ids alone', { current: { 1: 'one', 2: 'two', 3: 'storms' }, from: undefined }],
  ['with former slugs alone', { current: { 1: 'alpha' }, from: undefined }],
  ['with slugs of other ids', { current: { 7: 'beta', 8: 'tides' }, from: undefined }],
  ['whose articles it does not list', { current: { 8: 'x' }, from: undefined }],
  [
    'although it has a history of its own, with equal slugs',
    { own: { 2: { tides: 1 } }, current: { 2: 'tides' }, from: undefined },
  ],
  [
    'that is the newest of several names',
    {
      current: { 1: 'gamma', 2: 'tides' },
      absent: { articles, posts: { ...articles, 1: { alpha: 1, beta: 2, gamma: 3 } }, z: articles },
      from: 'posts',
    },
  ],
  [
    'that has more of its slugs than another one',
    {
      current: { 1: 'beta', 2: 'tides' },
      absent: { a: { 1: { x: 1, beta: 9 } }, articles },
      from: 'articles',
    },
  ],
])('a collection and a former name %s', (_, { own = {}, current, absent = { articles }, from }) => {
  const histories = Object.entries(absent).map(([name, each]) => [name, historyOf(each)] as const);
  const shown = new Map(Object.entries(current));
  for (const order of [histories, histories.toReversed()]) {
    const result = continueHistory(historyOf(own), shown, new Map(order));
    expect(result.from).toBe(from);
    expect(result.slugHistory).toEqual(historyOf(from === undefined ? own : (absent[from] ?? {})));
  }
});
