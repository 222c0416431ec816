import { beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { always, useSite } from '../helpers/use-site.ts';

// Loads without a usable response, and without the articles of an earlier load.

const site = useSite({
  articles: () => makeArticles(2, { words: [5, 10] }),
  options: { retries: 0 },
});
const dev = { command: 'dev' } as const;
const none = 'No earlier load has left articles that could be used instead.';

describe.each([503, 401])('while the service responds %i', (status) => {
  beforeEach(() => site.strike('any', { kind: 'status', status }, always));

  it.each(['service', 'articles'] as const)(
    'the first build fails, with `failOn: [%j]`',
    async (reason) => {
      const { hint } = await site.loadFails({ failOn: [reason] });
      // For a rejected key, the only fix is another key.
      if (status === 401) expect(hint).not.toContain(none);
      else expect(hint).toContain(none);
    },
  );

  it('a dev server starts without articles, and says why', async () => {
    const { failure, entries, warnings } = await site.load({ failOn: ['service'] }, dev);
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(0);
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^No article was loaded, because the load from the service failed: GET .*${status}`,
        ),
      ),
    ]);
  });
});
