import { expect, test } from 'vitest';
import { createProgressLog } from '../../../src/report/progress.ts';

test('progress is logged every five seconds, first of the listing, then of the articles', () => {
  const lines: string[] = [];
  let now = 0;
  const push = (line: string) => void lines.push(line);
  const log = createProgressLog(push, () => now);
  for (now = 0; now < 10_000; now += 100) log({ listed: now / 10 });
  for (now = 10_000; now < 20_000; now += 100) log({ toFetch: 900, fetched: now / 100 - 100 });
  expect(lines).toEqual([
    '500 articles listed',
    '0/900 articles fetched (0 %)',
    '50/900 articles fetched (5 %)',
  ]);
});
