import { extname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FixtureArticle, makeArticles } from '../../fixtures/articles.ts';
import { mediaRoot } from '../../fixtures/routes.ts';
import { oddIds } from '../helpers/odd-ids.ts';
import { isLong } from '../helpers/runs.ts';
import type { BuiltEntry } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { temporaryService, useService } from '../helpers/use-service.ts';

const sites = useSites();
/** All kinds of listings are tested without builds. */
describe.each([7, 6] as const)('a site on Astro %i', async (astro) => {
  const articles = [...withOddIds(), ...makeArticles(8, { cover: 'tides.jpg' })];
  const service = await useService({ articles });

  it('has exactly the articles, and requests each only once', async () => {
    const site = await sites.create({ astro });
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

  const dev = it.runIf(isLong);

  dev(
    'publishes the covers that the service has now, after builds by turns with a dev server that showed others',
    async () => {
      const own = await temporaryService({ articles: makeArticles(3, { cover: 'tides.jpg' }) });
      const site = await sites.create({ astro });
      const give = (id: number, name: string | null) =>
        own.change(id, { cover_image: name && mediaRoot + name });
      const build = async (covers: number) => {
        await site.build(own.env);
        const sources = (await site.entries()).flatMap(({ data }) => data.cover_image?.src ?? []);
        expect(sources).toEqual(sources.map(() => expect.stringMatching(/^\/_astro\//)));
        expect(sources).toHaveLength(covers);
      };
      give(1, 'snow.jpg');
      await build(3);
      give(1, null);
      await build(2);
      for (const shown of ['snow.jpg', 'clouds.webp']) {
        give(2, shown);
        const server = await site.dev(own.env);
        expect((await fetch(`${server.url}/entries.json`)).status).toBe(200);
        await server.stop();
        give(2, 'tides.jpg');
        await build(2);
      }
    },
  );
});

it('shows covers of each kind on Astro 7, and no AVIF and GIF on Astro 6 with the sharp that it brings', async () => {
  const names = ['bees.avif', 'balloon.gif', 'clouds.webp', 'tides.jpg', 'welcome.png'];
  const articles = makeArticles(names.length).map((article, index) => ({
    ...article,
    cover_image: `${mediaRoot}${names[index]}`,
  }));
  const own = await temporaryService({ articles });
  const kindsAt = async (astro: 6 | 7) => {
    const site = await sites.create({ astro });
    const output = await site.build(own.env);
    const covers = (await site.entries()).flatMap(({ data }) => data.cover_image?.src ?? []);
    return { output, kinds: covers.map((src) => extname(src)).toSorted() };
  };
  const safe = ['.jpg', '.png', '.webp'];
  const now = await kindsAt(7);
  expect(now.kinds).toEqual(['.avif', '.gif', ...safe]);
  expect(now.output).not.toContain('sharp');
  const old = await kindsAt(6);
  expect(old.kinds).toEqual(safe);
  const line = '"overrides": { "sharp": "^0.35.5" }';
  expect(old.output.split(line)).toHaveLength(2);
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
