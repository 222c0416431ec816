import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ArticlesError } from '../../../src/errors.ts';
import { scanForKeys } from '../../../src/integration/key-scan.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const key = 'a+key/that=must-not-be-"seen"&<sold>';
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

/** Returns the names of the files in which the scan finds the key. */
function filesWithKey(keys = [key], folders = [folder]): string[] {
  try {
    scanForKeys(folders, keys);
    return [];
  } catch (error) {
    if (!ArticlesError.is(error)) throw error;
    expect(error.code).toBe('key-in-output');
    expect(error.message).not.toContain(key);
    const paths = error.message.match(/[\w./-]+\.\w+(?=[,.]?( |$))/g) ?? [];
    return paths.map((path) => path.split('/').at(-1) ?? '');
  }
}

const html = key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

test.each([
  ['as it is', key],
  ['in a URL', encodeURIComponent(key)],
  ['in JSON', JSON.stringify({ key })],
  ['in JSON with escaped slashes', JSON.stringify(key).replaceAll('/', '\\/')],
  ['in HTML', html.replaceAll('"', '&quot;')],
  ['in base64', btoa(key)],
  ['in base64 for URLs', Buffer.from(key).toString('base64url')],
  ['in a binary file of 3 MB', `${'x'.repeat(1_000_000)}${key}${'\0'.repeat(2_000_000)}`],
])('the key is found %s', async (_, text) => {
  await write('page.html', `<p>${text}</p>`);
  await write('clean.html', '<p>nothing</p>');
  expect(filesWithKey()).toEqual(['page.html']);
});

test('several keys are searched, and folders that lie in each other or do not exist', async () => {
  await write('client/a.js', 'const second = "another-key-of-a-test"');
  const folders = [folder, join(folder, 'client'), join(folder, 'missing')];
  expect(filesWithKey([key, 'another-key-of-a-test'], folders)).toEqual(['a.js']);
});

test.each([
  ['key', false],
  ['Password', false],
  ['development', false],
  ['CHANGE_ME', false],
  ['your-api-key', false],
  ['k3ymaterial', true],
  ['xKqWzRtYpLmN', true],
  ['a-key-of-words-without-digits', true],
])(
  'the key %s is searched: %j, because other text would match an ordinary one',
  async (text, is) => {
    await write('a.html', `<p>Set ${text} here</p>`);
    expect(filesWithKey([text])).toEqual(is ? ['a.html'] : []);
  },
);

test('a text that differs from the key in its case passes', async () => {
  await write('a.html', '<p>Key-4711-Of-Tests</p>');
  await write('empty.txt', '');
  expect(filesWithKey(['key-4711-of-tests'])).toEqual([]);
});

test('a file that is never published is not searched, also if its folder is a link', async () => {
  const link = `${folder}-link`;
  await symlink(folder, link);
  await write('.dev.vars', key);
  await write('client/.dev.vars', key);
  expect(() => scanForKeys([link], [key], [join(link, '.dev.vars')])).toThrow(
    /output: \S*client\/\.dev\.vars\.$/,
  );
  await rm(join(folder, 'client'), { recursive: true });
  scanForKeys([link], [key], [join(link, '.dev.vars'), join(link, 'missing')]);
  await rm(link);
});

test('files are named by their path from the working directory', async () => {
  await write('page.html', key);
  const path = relative('', join(folder, 'page.html'));
  expect(() => scanForKeys([folder], [key])).toThrow(`output: ${path}.`);
});

test('a list of many files is cut short', async () => {
  for (let index = 0; index < 25; index++) await write(`page-${index}.html`, key);
  expect(() => scanForKeys([folder], [key])).toThrow(/ and 5 more\.$/);
});
