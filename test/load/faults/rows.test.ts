import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

// The fault matrix has 83 rows. The name of each test that covers some begins with their numbers.
const rows = Array.from({ length: 83 }, (_, index) => index + 1);
const folder = fileURLToPath(new URL('../..', import.meta.url));

it('every row of the fault matrix has a test', () => {
  const files = globSync('{load,unit}/**/*.test.ts', { cwd: folder }).filter(
    (name) => !name.endsWith('rows.test.ts'),
  );
  const texts = files.map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
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
