import { readFileSync } from 'node:fs';
import { slug } from 'github-slugger';
import { expect, test } from 'vitest';
import { createArticlesClient } from '../../src/client/index.ts';
import { ArticlesError } from '../../src/errors.ts';
import articles, { articlesLoader } from '../../src/index.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';

const folder = 'node_modules/astro-articles';

function hintOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (ArticlesError.is(error)) return error.hint;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const service = { baseUrl: 'https://service.example', apiKey: 'key' };

test.each([
  ['articles()', () => articles({ timeout: 0 }), 'options'],
  ['a loader', () => articlesLoader({ timeout: 0 }), 'options'],
  ['the client', () => createArticlesClient({ ...service, timeout: 0 }), 'client'],
  ['a live collection', () => liveArticlesLoader({ timeout: 0 }), 'live'],
])('an invalid option of %s leads to its page, and ends with that of the code', (_, run, page) => {
  const lines = hintOf(run)?.split('\n') ?? [];
  const [, path = ''] = /^(\S+) lists all options\.$/.exec(lines[0] ?? '') ?? [];
  expect(path).toBe(`${folder}/docs/reference/${page}.md`);
  const [, errors = '', anchor] = /^See (\S+)#(\S+)$/.exec(lines.at(-1) ?? '') ?? [];
  expect(anchor).toBe('invalid-options');
  expect(lines).toHaveLength(2);
  const headings = [path, errors].map((file) => {
    const url = new URL(`../..${file.slice(folder.length)}`, import.meta.url);
    return [...readFileSync(url, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      slug(text),
    );
  });
  expect(headings[0]?.length).toBeGreaterThan(0);
  expect(headings[1]).toContain(anchor);
});
