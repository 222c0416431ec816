import { expect, test } from 'vitest';
import { createProgressLog } from '../../../src/report/progress.ts';

test('progress is logged every five seconds', () => {
  const lines: string[] = [];
  let now = 0;
  const push = (line: string) => void lines.push(line);
  const log = createProgressLog(push, () => now);
  for (let fetched = 0; fetched < 120; fetched++) {
    now = fetched * 100;
    log({ listed: 1000, toFetch: 1000, fetched });
  }
  expect(lines).toEqual(['50/1000 articles fetched (5 %)', '100/1000 articles fetched (10 %)']);
});
