import { expect, test } from 'vitest';
import { createProgressLog } from '../../../src/report/progress.ts';

test('articles are listed before the first one is fetched', () => {
  const lines: string[] = [];
  let now = 0;
  const log = createProgressLog(
    (line) => void lines.push(line),
    () => now,
  );
  for (const listed of [100, 200]) {
    now += 5_000;
    log({ listed });
  }
  expect(lines).toEqual(['100 articles listed', '200 articles listed']);
});

test('progress is logged every five seconds', () => {
  const lines: string[] = [];
  let now = 0;
  const push = (line: string) => void lines.push(line);
  const log = createProgressLog(push, () => now);
  for (let fetched = 0; fetched < 120; fetched++) {
    now = fetched * 100;
    if (fetched < 40) log({ listed: 20 * fetched });
    else log({ toFetch: 900, fetched });
  }
  expect(lines).toEqual(['50/900 articles fetched (5 %)', '100/900 articles fetched (11 %)']);
});
