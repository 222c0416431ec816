import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// The fault matrix has 83 rows; 66 to 78 are about images, and have tests of their own.
const rows = Array.from({ length: 83 }, (_, index) => index + 1).filter(
  (row) => row < 66 || row > 78,
);

it('has a test for every row of the fault matrix', () => {
  const folder = new URL('.', import.meta.url);
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && name !== 'rows.test.ts')
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const named = new Set(
    texts.flatMap((text) => [
      ...[...text.matchAll(/\brows? (\d+)(?:, (\d+))*(?:,? and (\d+))?/g)].flatMap(([all]) =>
        all.match(/\d+/g),
      ),
      // The first cell of a table whose tests are named by it.
      ...[...text.matchAll(/^ {2,4}\[\s*(\d+),/gm)].map(([, row]) => row),
    ]),
  );
  expect(rows.filter((row) => !named.has(String(row)))).toEqual([]);
});
