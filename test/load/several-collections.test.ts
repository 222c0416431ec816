import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { servedBy, shownIn, useSite } from '../helpers/use-site.ts';

// Several collections of one service, which Astro loads at the same time.

const count = 230;
const site = useSite({
  service: { latency: 40 },
  articles: () => makeArticles(count, { words: [3, 30] }),
  options: { pageSize: 50, trustList: true },
});

const load = (collection: string, options: ArticlesOptions = {}) =>
  site.load(options, { collection, inMemory: true });
const listings = () => site.service.requests.filter(({ kind }) => kind === 'list').length;

describe('collections that are loaded at the same time', () => {
  it('request each page of the listing once, and have all articles', async () => {
    await load('alone');
    const needed = listings();
    site.service.clearRequests();
    const loads = await Promise.all([load('articles'), load('news'), load('drafts')]);
    expect(listings()).toBe(needed);
    for (const loaded of loads) {
      expect(loaded.failure).toBeUndefined();
      expect(shownIn(loaded)).toEqual(servedBy(site.service));
    }
  });

  it('send requests of their own if their listings are different', async () => {
    site.service.replace(makeArticles(20, { words: [3, 30] }));
    await load('alone');
    const needed = listings();
    site.service.clearRequests();
    await Promise.all([load('articles'), load('news', { query: { language: 'de' } })]);
    expect(listings()).toBe(2 * needed);
  });
});
