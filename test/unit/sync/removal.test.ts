import { describe, expect, test } from 'vitest';
import { checkMassRemoval } from '../../../src/sync/mass-removal.ts';
import { decideRemoval, type Evidence } from '../../../src/sync/removal.ts';

const letters = { keep: 'k', gone: 'g', contradiction: 'c' } as const;

describe('decideRemoval', () => {
  // One row for each combination of what is known: listed, proven gone, own response, listed afterwards.
  const table: [listed: boolean, provenGone: boolean, Evidence['response'], string][] = [
    // listed afterwards:            not read, yes, no
    [true, false, 'none', 'kkk'],
    [true, false, 'found', 'kkk'],
    [true, false, 'failed', 'kkk'],
    [true, false, 'missing', 'ccg'],
    [false, false, 'none', 'kkk'],
    [false, false, 'found', 'kkk'],
    [false, false, 'failed', 'kkk'],
    [false, false, 'missing', 'ggg'],
    [false, true, 'none', 'ggg'],
    [false, true, 'found', 'ggg'],
    [false, true, 'failed', 'ggg'],
    [false, true, 'missing', 'ggg'],
  ];

  test.each(table)(
    'listed %s, proven gone %s, response %s',
    (listed, provenGone, response, expected) => {
      const decisions = [undefined, true, false].map(
        (listedAfterwards) =>
          letters[decideRemoval({ listed, provenGone, response, listedAfterwards })],
      );
      expect(decisions.join('')).toBe(expected);
    },
  );
});

describe('checkMassRemoval', () => {
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `${from + at}`);
  const change = (before: number, after: string[], drafts = 0) => ({
    before: ids(before),
    after: new Set(after),
    articles: ids(30).map((_, at) => ({ draft: at < drafts })),
  });

  const passing = {
    'nothing is hidden': change(30, ids(30)),
    'half is hidden': change(30, ids(15)),
    'a small collection loses most': change(19, ids(1)),
    'it is a first load': change(0, ids(30)),
  };
  test.each(Object.entries(passing))('passes when %s', (_, counts) => {
    expect(() => checkMassRemoval(counts)).not.toThrow();
  });

  const failing = {
    'more than half is hidden': change(30, ids(14)),
    'everything is hidden': change(3, []),
    'D6: every article becomes a draft': change(30, [], 30),
    'the first load shows nothing': change(0, [], 30),
    'others take the place of most': change(30, [...ids(14), ...ids(60, 100)]),
  };
  test.each(Object.entries(failing))('fails when %s', (_, counts) => {
    expect(() => checkMassRemoval(counts)).toThrow(
      expect.objectContaining({ code: 'mass-removal' }),
    );
  });

  test('says how many articles are drafts', () => {
    expect(() => checkMassRemoval(change(30, [], 30))).toThrow(
      'The service lists 30 articles, 30 of them drafts (without `title` or `content`). ' +
        '30 of the 30 articles that the site shows would disappear.',
    );
  });
});
