import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { isLong } from '../helpers/runs.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { temporaryService } from '../helpers/use-service.ts';

const program = fileURLToPath(new URL('../helpers/measure-heap.ts', import.meta.url));

/** How much a load may need at most, and keep, as multiples of the bytes of all articles. */
const variants = [
  { name: "`bodies: 'store'`", options: { bodies: 'store' }, most: 10, left: 5 },
  { name: "`bodies: 'mirror'`", options: { bodies: 'mirror' }, most: 8, left: 2 },
  {
    name: "`bodies: 'mirror'` and `rows: 'whole'`",
    options: { bodies: 'mirror', rows: 'whole' },
    most: 10,
    left: 2,
  },
];

describe.runIf(isLong).each([1_000, 10_000])('a load of %i articles', (count) => {
  it.each(variants)('with $name needs few times their bytes', async ({ options, most, left }) => {
    const articles = makeArticles(count, { words: [450, 2_900] });
    const bytes = articles.reduce((sum, { content }) => sum + Buffer.byteLength(`${content}`), 0);
    const { url: baseUrl, apiKey } = await temporaryService({ articles });
    const root = await temporaryFolder();
    for (const load of ['first', 'later']) {
      const given = JSON.stringify({ baseUrl, apiKey, ...options });
      const args = ['--expose-gc', program, root, given];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const result: { entries: number; peak: number; left: number } = JSON.parse(stdout);
      const times = { peak: result.peak / bytes, left: result.left / bytes };
      console.log(
        `${count}, ${load}: ${times.peak.toFixed(1)} and ${times.left.toFixed(1)} × the articles`,
      );
      expect(result.entries).toBe(count);
      expect(times.peak).toBeLessThan(most);
      expect(times.left).toBeLessThan(left);
    }
  });
});
