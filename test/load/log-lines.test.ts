import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSite } from '../helpers/use-site.ts';

const site = useSite({ articles: () => makeArticles(2), options: { retry: { limit: 0 } } });

describe('log lines', () => {
  it('name the collection if the site has several', async () => {
    const first = await site.load({}, { collection: 'blog' });
    expect(first.log).toMatch(/^2 articles shown: /m);
    for (const collection of ['news', 'blog']) {
      const { log } = await site.load({}, { collection });
      expect(log).toMatch(new RegExp(`^${collection}: 2 articles shown: `, 'm'));
    }
    site.strike('any', { kind: 'status', status: 503 });
    const { warnings } = await site.load({ onUnavailable: 'keep' }, { collection: 'news' });
    expect(warnings).toEqual([
      expect.stringMatching(/^news: Using articles from less than a minute ago/),
    ]);
  });

  it('report a cover that is not a URL once', async () => {
    site.service.change(1, { cover_image: 42 });
    const { warnings } = await site.load();
    expect(warnings).toEqual(['article "1", field cover_image: expected a URL, got a number.']);
  });

  it('count no draft as added', async () => {
    site.service.change(1, { title: '' });
    const { log } = await site.load();
    expect(log).toMatch(/^1 article shown, 1 draft left out: 1 added, 0 updated, /m);
  });

  it('say that all articles would disappear, also if there is only one', async () => {
    site.service.replace(makeArticles(1));
    await site.load();
    site.service.replace([]);
    const { failure } = await site.load();
    expect(failure?.message).toBe(
      'The service lists no articles. All articles that the site shows would disappear.',
    );
  });
});
