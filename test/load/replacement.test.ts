import { describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { corrupt, packsOf, recordsOf } from '../helpers/mirror-folder.ts';
import { allowRemoval, useSite } from '../helpers/use-site.ts';

// A load whose articles are those of another project, which have the same ids.

const count = 30;
const site = useSite({
  articles: () => makeArticles(count, { words: [5, 10] }),
  options: { failOn: ['service'] },
});

type Part = 'title' | 'content';

/** Changes parts of the first articles. */
function change(parts: readonly Part[], changed: number): void {
  for (let id = 1; id <= changed; id++) {
    site.service.change(id, Object.fromEntries(parts.map((part) => [part, `Other ${part} ${id}`])));
  }
}

describe('a load that gives most articles another title and another text', () => {
  const both = ['title', 'content'] as const;

  it.each<[articles: number, changed: number, parts: readonly Part[], isRefused: boolean]>([
    [count, count, both, true],
    [20, 11, both, true],
    [20, 10, both, false],
    [19, 19, both, false],
    [count, count, ['title'], false],
    [count, count, ['content'], false],
  ])(
    'of %i articles, %i with another %j: it is refused: %s',
    async (articles, changed, parts, isRefused) => {
      for (const rows of ['full', 'summary'] as const) {
        site.service.options.rows = rows;
        site.service.replace(makeArticles(articles, { words: [5, 10] }));
        await site.load({}, allowRemoval);
        change(parts, changed);
        if (!isRefused) {
          await site.loadExactly();
          continue;
        }
        const failure = await site.loadFails();
        expect(failure.code).toBe('mass-removal');
        expect(failure.message).toContain(`${changed} of the ${articles} articles`);
        expect(failure.hint).toContain('`mirrorDir` of its own');
        await site.loadExactly({}, allowRemoval);
        await site.loadExactly();
      }
    },
  );

  it('counts no article that is new, no longer listed, or left out as before', async () => {
    await site.loadExactly();
    change(both, 14);
    site.service.replace([
      ...site.service.articles.filter(({ id }) => Number(id) <= 28),
      ...makeArticles(60, { words: [5, 10] }).filter(({ id }) => Number(id) > 30),
    ]);
    await site.loadExactly();
  });

  it.each<[string, ArticlesOptions]>([
    ['with whole rows', { rows: 'whole' }],
    ['with `newest`', { newest: 20 }],
    [
      'in which `transform` gives all one title',
      { transform: (article) => ({ ...article, title: 'T' }) },
    ],
  ])('is refused %s, and costs no request of its own', async (_, options) => {
    await site.load(options);
    site.service.clearRequests();
    change(both, count);
    const failure = await site.loadFails(options);
    expect(failure.code).toBe('mass-removal');
    const ids = site.service.requests.flatMap(({ id }) => id ?? []);
    expect(ids).toHaveLength(new Set(ids).size);
  });

  it('is not refused if the mirror has lost the texts, of which nothing is known then', async () => {
    await site.loadExactly();
    await corruptAll();
    change(both, count);
    await site.loadExactly();
  });
});

it('a change of the API key alone costs no request for an article', async () => {
  await site.loadExactly();
  site.service.options.apiKey = 'another-key-of-the-service';
  site.service.clearRequests();
  await site.loadExactly({ apiKey: site.service.apiKey });
  expect(site.service.count('article')).toBe(0);
});

async function corruptAll(): Promise<void> {
  await corrupt(recordsOf(await packsOf(await site.mirror())));
}
