import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openMirror } from '../../src/mirror/mirror.ts';
import { decodeHistory } from '../../src/redirects/history.ts';
import { offline, useSite } from '../helpers/use-site.ts';

// What each released version has left, as `released-forms/write.ts` wrote it then.

const folder = fileURLToPath(new URL('released-forms/', import.meta.url));
const released = readdirSync(folder).filter((name) => name !== 'write.ts');
const advice =
  'Read the earlier form, too. If no release has it, write it again: node test/load/released-forms/write.ts';
const baseUrl = 'https://articles.example';
/** The pages of article 3, each with the serial of the build that last took it up. */
const pages = new Map([
  ['1 posts/third-3', 1],
  ['1 posts/third-renamed-3', 2],
]);

const site = useSite();

it.each(released)('the mirror of %s is used', async (version) => {
  const parent = join(site.root, 'mirror');
  cpSync(join(folder, version, 'mirror'), parent, { recursive: true });
  const { failure, warnings, entries } = await site.load({ baseUrl, mirrorDir: 'mirror' }, offline);
  expect([failure, warnings], advice).toEqual([undefined, []]);
  const [entry] = [...entries.values()];
  expect([...entries.keys()]).toEqual(['3']);
  expect(entry?.data).toMatchObject({ title: 'Third, renamed', slug: 'third-renamed-3' });
  expect(entry?.data.cover_image).toMatch(/\.jpg$/);
  expect(entry?.rendered?.html).toContain('<p>');

  const mirror = openMirror({ parent, collection: 'articles', baseUrl: `${baseUrl}/` });
  const { built, gone } = mirror.index;
  mirror.close();
  expect({ built, gone }).toEqual({ built: ['3'], gone: ['1'] });
  expect(mirror.paths.get('3')).toEqual(pages);
  expect(mirror.paths.get('1')).toEqual(new Map([['1 posts/first-1', 1]]));
});

it.each(released)('the published history of paths of %s is read', (version) => {
  const text = readFileSync(join(folder, version, '_articles/paths.jsonl'), 'utf8');
  const file = decodeHistory(text, version);
  expect(file, advice).toMatchObject({ isWhole: true, notice: undefined });
  expect(file?.history).toEqual(new Map([['articles/3', pages]]));
});
