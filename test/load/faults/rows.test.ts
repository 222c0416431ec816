import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// The fault matrix has 83 rows; those about images are tested where images are.
const rows = Array.from({ length: 83 }, (_, index) => index + 1);
const images = new URL('../mirror/images.test.ts', import.meta.url);

it('has a test for every row of the fault matrix', () => {
  const folder = new URL('../../faults/', import.meta.url);
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && name !== 'rows.test.ts')
    .map((name) => new URL(name, folder))
    .concat(images)
    .map((file) => readFileSync(file, 'utf8'));
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
