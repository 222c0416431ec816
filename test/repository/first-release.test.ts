import { expect, it, test } from 'vitest';
import { releasedText, replacements } from '../../.github/first-release.ts';
import { pages, read } from '../helpers/readme.ts';

const { version, repository } = JSON.parse(read('package.json'));
const owner = new URL(repository.url).pathname.split('/')[1] ?? '';
const isReleased = owner !== 'OWNER';

it.each(replacements)('$file has the text from before or after the first release', (each) => {
  const text = read(each.file);
  const after = each.after.replaceAll('OWNER', owner);
  if (isReleased) {
    expect(text).toContain(after);
    expect(text.replaceAll(after, '')).not.toContain(each.before);
  } else expect(text.split(each.before)).toHaveLength(2);
});

test.skipIf(isReleased)('the first release leaves no placeholder and no clone to install', () => {
  const files = ['package.json', ...replacements.map(({ file }) => file)];
  for (const file of new Set(files)) {
    const text = releasedText(file, read(file), 'an-account');
    expect(text).not.toContain('OWNER');
    if (file === 'package.json') expect(JSON.parse(text).bugs.url).toContain('/an-account/');
    else expect(text).not.toMatch(/npm (?:run new|pack)|\.tgz|first release/);
  }
  expect(releasedText('README.md', read('README.md'), 'an-account')).toContain(
    '--template an-account/astro-articles/templates/blog',
  );
});

test.skipIf(isReleased)(
  'no page fetches the package from a registry before its first release',
  () => {
    for (const page of pages) {
      const [text = ''] = read(page).split('\n## Before the first release\n');
      expect(text, page).not.toMatch(
        /astro add astro-articles|--template \w+\/astro-articles|OWNER/,
      );
    }
    expect(read('README.md')).toContain(`npm install ./astro-articles-${version}.tgz`);
  },
);
