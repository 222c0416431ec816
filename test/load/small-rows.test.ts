import { expect, it } from 'vitest';
import { type FixtureArticle, makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { useSite } from '../helpers/use-site.ts';

// What loads transfer: the bytes of the bodies that the service sends, without compression.

const updated_at = '2024-05-01T10:00:00Z';
const withField = (article: FixtureArticle) => ({ ...article, updated_at });
const site = useSite({ articles: () => makeArticles(300, { words: [5, 20] }).map(withField) });

/** Loads, and returns what the service has sent, and what the load advises. */
async function transfer(options: ArticlesOptions, env: Record<string, string> = {}) {
  site.service.clearRequests();
  const { failure, context, warnings } = await site.load({ bodies: 'mirror', ...options }, { env });
  expect(failure).toBeUndefined();
  expect(warnings).toEqual([]);
  const { requests } = site.service;
  const messages = context.lines.map(({ message }) => message);
  return {
    bytes: requests.reduce((sum, { bytes }) => sum + bytes, 0),
    articles: requests.filter(({ kind }) => kind === 'article').length,
    advice: messages.filter((message) => message.startsWith('What suits this service')),
  };
}

const changedBy: ArticlesOptions = { rows: { changedBy: 'updated_at' } };
const small: ArticlesOptions = { ...changedBy, query: { fields: 'id,updated_at' } };

it('a later load of 300 articles transfers at most 30 KB if `query` selects fields', async () => {
  await transfer(small);
  const later = await transfer(small);
  expect(later).toMatchObject({ articles: 0, advice: [] });
  expect(later.bytes).toBeLessThan(30_000);
  site.service.change(7, { content: 'Edited.', updated_at: '2024-05-02T10:00:00Z' });
  expect(await transfer(small)).toMatchObject({ articles: 1 });
  expect((await site.load({ ...small })).entries.get('7')?.body).toBe('Edited.');
});
