import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read, root } from '../helpers/readme.ts';

test('changesets are about this package, and begin with what they do', () => {
  for (const path of globSync('.changeset/*.md', { cwd: root })) {
    expect(read(path), path).toMatch(
      /^---\n'astro-articles': (minor|patch)\n---\n\n(Adds|Changes|Fixes|Removes) /,
    );
  }
});
