import { expect, test } from 'vitest';
import { summarise } from '../../../src/report/summary.ts';

const none = {
  ...{ shown: 0, added: 0, updated: 0, unchanged: 0, older: 0 },
  ...{ drafts: [], removed: [], leftOut: {} },
};
const traffic = { requests: 1, retries: 0, bytes: 0 };

test('the summary is one line of what has changed, and of what it took', () => {
  const changes = {
    ...{ shown: 5, added: 2, updated: 1, unchanged: 2, older: 1 },
    drafts: ['published'],
    removed: ['withdrawn', 'gone'],
    leftOut: { transform: ['hidden'], draft: ['new', 'same'] },
  };
  expect(summarise({ changes, duration: 1_260 })).toBe(
    '5 articles shown, 1 as drafts ("published"), 2 left out as drafts ("new", "same"), ' +
      '1 left out by `transform` ("hidden"): 2 added, 1 updated, 2 unchanged, 2 removed ("withdrawn", "gone"), ' +
      '1 no longer among the newest; 0 requests, 1.3 s',
  );
});

test('the summary names three ids of each reason, however many there are', () => {
  const draft = Array.from({ length: 5_000 }, (_, at) => `id-${at}`);
  expect(summarise({ changes: { ...none, leftOut: { draft } }, duration: 0 })).toContain(
    '5000 left out as drafts ("id-0", "id-1", "id-2" and 4997 more)',
  );
});

test('the summary says why articles are left out, in one order', () => {
  const leftOut = {
    'not listed': ['5'],
    'no usable version': ['4'],
    schema: ['3'],
    transform: ['2'],
    draft: ['1'],
  };
  expect(summarise({ changes: { ...none, leftOut }, duration: 0 })).toContain(
    '0 articles shown, 1 left out as drafts ("1"), 1 left out by `transform` ("2"), 1 left out by the collection\'s ' +
      'schema ("3"), 1 without a usable version ("4"), 1 no longer listed ("5"): ',
  );
});

test.each([
  [traffic, '1 request, 0.0 s'],
  [{ ...traffic, requests: 3, retries: 1 }, '3 requests (1 retry), 0.0 s'],
  [{ ...traffic, requests: 3, retries: 2 }, '3 requests (2 retries), 0.0 s'],
])('the summary of the requests %j ends with “%s”', (requests, end) => {
  const summary = summarise({ changes: none, traffic: requests, duration: 0 });
  expect(summary).toBe(`0 articles shown: 0 added, 0 updated, 0 unchanged, 0 removed; ${end}`);
});

test('a load that failed has no summary', () => {
  expect(summarise({ duration: 1 })).toBeUndefined();
});
