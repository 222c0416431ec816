import { writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { indexFile } from '../helpers/mirror-folder.ts';
import { always, offline, useSite } from '../helpers/use-site.ts';

// Loads without a usable response, and without the articles of an earlier load.

const site = useSite({
  articles: () => makeArticles(2, { words: [5, 10] }),
  options: { retries: 0 },
});
const dev = { command: 'dev' } as const;
const failOn = (...what: NonNullable<ArticlesOptions['failOn']>): ArticlesOptions => ({
  failOn: what,
});
const none = 'No earlier load has left articles that could be used instead.';

describe.each([
  [503, 'the service is unavailable'],
  [404, 'the request was not accepted'],
  [401, 'the request was not accepted'],
])('while the service responds %i', (status, subject) => {
  beforeEach(() => site.strike('any', { kind: 'status', status }, always));

  it.each([failOn('service'), failOn('articles')])(
    'the first build fails, with %j',
    async (options) => {
      const { hint } = await site.loadFails(options);
      // For a rejected key, the only fix is another key.
      expect(hint?.includes(none)).toBe(status !== 401);
    },
  );

  it('a dev server starts without articles, and says why', async () => {
    const { failure, entries, warnings } = await site.load(failOn('service'), dev);
    expect(failure).toBeUndefined();
    expect(entries.size).toBe(0);
    expect(warnings).toEqual([
      expect.stringContaining(`No article was loaded, because ${subject}: GET `),
    ]);
  });
});

it('says that there was a mirror, and why it is not used', async () => {
  await site.load();
  const file = indexFile(await site.mirror());
  await writeFile(file, '{"format":"astro-articles mirror","version":1}');
  const reason = `${file} is not used, because it is corrupt, or of another version.`;
  const isOffline = await site.loadFails({}, offline);
  expect(isOffline).toMatchObject({
    code: 'mirror-empty',
    message: expect.stringContaining(reason),
  });
  site.strike('any', { kind: 'status', status: 503 }, always);
  expect((await site.loadFails()).hint).toContain(`${none} ${reason}`);
});
