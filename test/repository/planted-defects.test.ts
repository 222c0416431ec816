import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read, root } from '../helpers/readme.ts';
import { defects } from '../simulation/planted-defects.ts';

const modules = globSync('src/**/*.ts', { cwd: root }).map(read);

it('each planted defect replaces code that src has exactly once', () => {
  const outdated = defects.flatMap(({ name, code }) => {
    const count = modules.reduce((sum, text) => sum + text.split(code).length - 1, 0);
    return count === 1 ? [] : `${count} times in src: ${code} (${name})`;
  });
  expect(modules.length).toBeGreaterThan(100);
  expect(outdated).toEqual([]);
});

it('each test that finds a planted defect exists', () => {
  const tests = defects.flatMap(({ test }) => test ?? []);
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
