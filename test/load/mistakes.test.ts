import type { glob } from 'astro/loaders';
import { beforeEach, expect, it, vi } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { ArticlesError } from '../../src/errors.ts';
import { articlesCollection, articlesLoader } from '../../src/index.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { purge, webhook } from '../../src/webhook/index.ts';
import { key, useSite } from '../helpers/use-site.ts';

// What a newcomer gets wrong, and no other test does: each mistake ends with one message that names the cause and the fix.

const site = useSite({ articles: () => makeArticles(12, { words: [5, 10] }) });

const load =
  (options: ArticlesOptions = {}) =>
  async () => {
    const { failure, warnings } = await site.load(options);
    if (failure) throw failure;
    return warnings.join('\n');
  };

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const mistakes: [mistake: string, make: () => unknown, message: RegExp][] = [
  [
    'a public variable for the key',
    () =>
      resolveOptions({
        loader: { baseUrl: 'https://a.example' },
        integration: {},
        environment: { PUBLIC_ARTICLES_API_KEY: key },
        command: 'build',
      }),
    /PUBLIC_ARTICLES_API_KEY is set, and is part of client code.*Rename it to ARTICLES_API_KEY/s,
  ],
  [
    'a parameter of the pages in `query`',
    () => articlesLoader({ query: { limit: '5' } }),
    /`pageSize` sets the limit/,
  ],
  [
    'the collection as a loader',
    () => (articlesCollection() as unknown as ReturnType<typeof glob>).load({} as never),
    /`articlesCollection\(\)` is not a loader.*defineCollection\(articlesCollection\(\)\)/s,
  ],
  [
    'a misspelt field in `rows.changedBy`',
    load({ rows: { changedBy: 'updated' } }),
    /No row of the listing has the field "updated"/,
  ],
  [
    'HTML as Markdown',
    () => {
      const content = '<p>One</p>\n<p>Two</p>';
      site.service.replace([{ id: 1, title: 't', content, cover_image: null }]);
      return load()();
    },
    /looks like HTML.*`format: 'html'`/,
  ],
  [
    'a live collection without a key',
    async () => {
      const { loadEntry } = liveArticlesLoader({ baseUrl: 'https://a.example' });
      const result = await loadEntry({ filter: { id: '1' }, collection: 'live' });
      if (result && 'error' in result) throw result.error;
    },
    /`apiKey` of liveArticlesLoader\(\) is not set.*getSecret\('ARTICLES_API_KEY'\)/s,
  ],
  [
    'an option of a build for a live collection',
    () => liveArticlesLoader({ newest: 5 } as never),
    /Unknown option `newest`/,
  ],
  [
    'a webhook without a secret',
    () => webhook({ secret: undefined, actions: [purge()] }),
    /`secret` is missing.*environment variables/s,
  ],
  [
    'a webhook without actions',
    () => webhook({ secret: 'a-secret-of-enough-bytes', actions: [] }),
    /needs at least one action.*deployHook/s,
  ],
];

it.each(mistakes)('%s ends with its cause and fix', async (_, make, message) => {
  let text: string;
  try {
    text = String(await make());
  } catch (error) {
    if (!ArticlesError.is(error)) throw error;
    text = `${error.message}\n${error.hint}`;
  }
  expect(text).toMatch(message);
  expect(text).not.toContain(key);
});
