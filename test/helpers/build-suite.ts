import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureArticle, makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { type BuiltEntry, createSite, type Site } from './site.ts';

/** All other envelopes are tested without builds. */
const envelopes = { 7: ['results', 'array'], 6: ['results'] } as const;
const oddIds = [
  0,
  9007199254740993n,
  9007199254740992n,
  'a/b',
  'a b?c#d%25',
  'né ☃ 日本',
  "o'r;&=+,$@:!*()",
  '__proto__',
  '550e8400-e29b-41d4-a716-446655440000',
];

/** Builds a site from every kind of listing, with one version of Astro. */
export function describeBuilds(astro: 6 | 7): void {
  describe(`a site on Astro ${astro}`, () => {
    const articles = [...withOddIds(), ...makeArticles(8, { cover: 'tides.jpg' })];
    let service: FixtureService;
    let site: Site;

    beforeAll(async () => {
      service = await startService({ articles });
      site = await createSite({ astro });
    });
    afterAll(async () => {
      await site.remove();
      await service.close();
    });

    function build() {
      service.clearRequests();
      return site.astro(['build'], service.env);
    }

    for (const envelope of envelopes[astro]) {
      it(`has exactly the articles of an envelope ${envelope} with full rows, and requests each only once`, async () => {
        await site.reset();
        Object.assign(service.options, { envelope, rows: 'full', count: undefined });
        const first = await build();
        expect(first.output).toContain(
          `${articles.length} articles shown: ${articles.length} added`,
        );
        expect(first.status).toBe(0);
        expectSame(await site.entries(), articles);
        expect(service.count('article')).toBe(articles.length);
        expect(service.count('media')).toBe(1);

        const second = await build();
        expect(second.output).toContain(`${articles.length} unchanged`);
        expectSame(await site.entries(), articles);
        expect(service.requests.map(({ kind }) => kind)).toEqual(
          service.requests.map(() => 'list'),
        );
      });

      it(`has exactly the articles of an envelope ${envelope} with summaries`, async () => {
        await site.reset();
        Object.assign(service.options, { envelope, rows: 'summary', maxLimit: 5 });
        const { status } = await build();
        service.options.maxLimit = 500;
        expect(status).toBe(0);
        expectSame(await site.entries(), articles);
      });
    }
  });
}

function withOddIds(): FixtureArticle[] {
  return makeArticles(oddIds.length, { seed: 7 }).map((article, index) => ({
    ...article,
    id: oddIds[index],
  }));
}

/** Expects the entries to be the articles, each with the service's own fields. */
function expectSame(entries: readonly BuiltEntry[], articles: readonly FixtureArticle[]): void {
  const built = entries.map(({ id, body, data }) => ({
    id,
    body,
    title: data.title,
    cover: data.cover_image !== null,
    position: data.position,
  }));
  const expected = articles.map(({ id, content, title, cover_image }, index) => ({
    id: String(id),
    body: content,
    title,
    cover: cover_image !== null,
    position: articles.length - index,
  }));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(built.toSorted(byId)).toEqual(expected.toSorted(byId));
  expect(new Set(entries.map(({ data }) => data.slug)).size).toBe(articles.length);
}
