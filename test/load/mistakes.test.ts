import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { articlesLoader } from '../../src/content/articles-loader.ts';
import { ArticlesError } from '../../src/errors.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import { purge, webhook } from '../../src/webhook/index.ts';

// What a newcomer gets wrong, and no other test does: each mistake ends with one message that names the cause and the fix.

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

const mistakes: [mistake: string, make: () => unknown, message: RegExp][] = [
  [
    'a parameter of the pages in `query`',
    () => articlesLoader({ query: { limit: '5' } }),
    /`pageSize` sets the limit/,
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
});
