import { expect, it } from 'vitest';
import { createProgressLog } from '../../src/report/progress.ts';

function logOf(events: { at: number; fetched: number; toFetch: number }[]): string[] {
  const lines: string[] = [];
  let now = 0;
  const log = createProgressLog(
    (line) => lines.push(line),
    () => now,
  );
  for (const { at, fetched, toFetch } of events) {
    now = at;
    log({ listed: 1000, toFetch, fetched });
  }
  return lines;
}

it('logs nothing during the first two seconds', () => {
  expect(logOf([{ at: 1_900, fetched: 1, toFetch: 10 }])).toEqual([]);
});

it('then logs every five seconds how much is done, how fast, and how much time is left', () => {
  const every100 = Array.from({ length: 120 }, (_, tick) => ({
    at: tick * 100,
    fetched: tick,
    toFetch: 1000,
  }));
  expect(logOf(every100)).toEqual([
    '20/1000 articles fetched (2 %), 10.0 per second, about 98 s left',
    '70/1000 articles fetched (7 %), 10.0 per second, about 93 s left',
  ]);
});

it('counts the listed articles while there is nothing to fetch', () => {
  expect(logOf([{ at: 3_000, fetched: 0, toFetch: 0 }])).toEqual(['1000 articles listed']);
});
