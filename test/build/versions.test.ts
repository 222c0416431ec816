import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FixtureArticle, makeArticles } from '../../fixtures/articles.ts';
import { oddIds } from '../helpers/odd-ids.ts';
import type { BuiltEntry, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

/** All other envelopes are tested without builds. */
const envelopes = { 7: ['results', 'array'], 6: ['results'] } as const;

describe.each([7, 6] as const)('a site on Astro %i', async (astro) => {
  const articles = [...withOddIds(), ...makeArticles(8, { cover: 'tides.jpg' })];
  const service = await useService({ articles });
  const sites = useSites();
  let site: Site;
  beforeAll(async () => {
    site = await sites.create({ astro });
  });

  describe.each(envelopes[astro])('and a listing in the envelope %s', (envelope) => {
    beforeEach(async () => {
      await site.reset();
      Object.assign(service.options, { envelope, count: undefined });
      service.clearRequests();
    });

    it('has exactly the articles, and requests each only once', async () => {
      const first = await site.build(service.env);
      expect(first).toContain(`${articles.length} articles shown: ${articles.length} added`);
      expectSame(await site.entries(), articles);
      expect(service.count('article')).toBe(articles.length);
      expect(service.count('media')).toBe(1);

      service.clearRequests();
      expect(await site.build(service.env)).toContain(`${articles.length} unchanged`);
      expectSame(await site.entries(), articles);
      expect(new Set(service.requests.map(({ kind }) => kind))).toEqual(new Set(['list']));
    });

    it('has exactly the articles of pages with summaries', async () => {
      Object.assign(service.options, { rows: 'summary', maxLimit: 5 });
      await site.build(service.env);
      Object.assign(service.options, { rows: 'full', maxLimit: 500 });
      expectSame(await site.entries(), articles);
    });
  });
});

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
