import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { articlesLoader } from '../../src/content/articles-loader.ts';
import { createLoaderContext } from '../helpers/loader-context.ts';
import { key, useSite } from '../helpers/use-site.ts';

// A release may change a rule. What an older one has left in the mirror must not decide.

const repository = fileURLToPath(new URL('../..', import.meta.url));
const copies: string[] = [];
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true });
});

/** Returns the loader of another version of the package, which has another rule. */
async function otherVersion(file: string, rule: string, other: string) {
  const copy = mkdtempSync(join(repository, 'test/.site-version-'));
  copies.push(copy);
  for (const name of ['src', 'package.json'])
    cpSync(join(repository, name), join(copy, name), { recursive: true });
  const path = join(copy, 'src', file);
  const [before, after, ...more] = readFileSync(path, 'utf8').split(rule);
  expect([after, more], `src/${file} has another rule than this test: ${rule}`).toEqual([
    expect.any(String),
    [],
  ]);
  writeFileSync(path, `${before}${other}${after}`);
  const module = await import(join(copy, 'src/content/articles-loader.ts'));
  return module.articlesLoader as typeof articlesLoader;
}

const site = useSite({
  articles: () => [
    { id: 5, title: 'Without text', content: '', cover_image: null },
    { id: 4, title: '', content: '# A heading', cover_image: null },
    { id: 3, title: 'A reserved name', content: 'Text.', cover_image: null, slug: 'index' },
    ...makeArticles(2, { words: [5, 10] }),
  ],
});

/** Returns the slugs of the entries that a version of the package makes, and the number of requests for articles. */
async function load(version: typeof articlesLoader, root: string) {
  site.service.clearRequests();
  const context = await createLoaderContext({ root });
  await version({ baseUrl: site.service.url, apiKey: key, failOn: [] }).load(context);
  await context.save();
  const slugs = context.store.values().map(({ id, data }) => [id, data.slug]);
  return { slugs: Object.fromEntries(slugs), requests: site.service.count('article') };
}

describe('after a release that changes the rule for', () => {
  it.each([
    ['drafts', 'client/article.ts', "title.trim() === '' || !hasContent", "title.trim() === ''"],
    [
      'slugs of the service',
      'shared/slug.ts',
      ' || isFile || reserved.includes(name)',
      ' || isFile',
    ],
  ])(
    '%s, the articles are those of a new mirror, without a request',
    async (_, file, rule, other) => {
      const changed = await otherVersion(file, rule, other);
      const fresh = mkdtempSync(join(repository, 'test/.site-version-'));
      copies.push(fresh);
      const before = await load(articlesLoader, site.root);
      const wanted = await load(changed, fresh);
      expect(wanted.slugs).not.toEqual(before.slugs);
      expect(await load(changed, site.root)).toEqual({ slugs: wanted.slugs, requests: 0 });
      expect(await load(articlesLoader, site.root)).toEqual({ slugs: before.slugs, requests: 0 });
    },
  );
});
