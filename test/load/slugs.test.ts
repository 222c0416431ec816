import { readFile, rm, writeFile } from 'node:fs/promises';
import type { SchemaContext } from 'astro/content/config';
import { z } from 'astro/zod';
import { expect, test } from 'vitest';
import { articleSchema } from '../../src/content/schema.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { encodeHistory } from '../../src/redirects/history.ts';
import { indexFile, pathsFile } from '../helpers/mirror-folder.ts';
import { temporaryServer } from '../helpers/temporary.ts';
import { type Load, type LoadMore, offline, useSite } from '../helpers/use-site.ts';

const site = useSite({ options: { failOn: ['service'] } });
const article = (id: number, slug: string) => ({
  ...{ id, slug, title: `Title of ${id}`, content: 'Text.', cover_image: null },
});

test('a slug of the service stays with the article that has its page', async () => {
  const slugs = async (more?: LoadMore) => {
    const { entries, warnings } = await site.load({}, more);
    return { warnings, slugs: ['1', '2'].map((id) => entries.get(id)?.data.slug) };
  };
  site.service.replace([article(1, 'tides')]);
  expect(await slugs()).toEqual({ warnings: [], slugs: ['tides', undefined] });
  const mirror = await site.mirror();
  const paths = encodeHistory(
    new Map([['1', new Map(Object.entries({ '1 posts/old': 1, '1 posts/tides': 2 }))]]),
  );
  await writeFile(pathsFile(mirror), paths);
  // Newer articles are first in the listing, and some hosts do not distinguish these slugs.
  site.service.add(article(2, 'TIDES'));
  const both = { slugs: ['tides', 'title-of-2-2'], warnings: [expect.stringContaining('"TIDES"')] };
  expect(await slugs()).toEqual(both);
  await rm(indexFile(mirror));
  expect(await slugs()).toEqual(both);

  // An article that takes up the slug while the first one is a draft keeps it, also when a preview was the last load.
  site.service.replace([{ ...article(1, 'tides'), content: '' }, article(2, 'tides')]);
  expect((await slugs()).slugs).toEqual([undefined, 'tides']);
  const taken = { '1': new Map([['0 tides', 1]]), '2': new Map([['0 tides', 2]]) };
  await writeFile(pathsFile(mirror), encodeHistory(new Map(Object.entries(taken))));
  await site.load({ drafts: 'include' });
  site.service.change(1, { content: 'Text.' });
  expect((await slugs()).slugs).toEqual(['title-of-1-1', 'tides']);
  await writeFile(pathsFile(mirror), paths);

  // The earlier version of an article has to leave its slug to the article that has it now.
  site.service.replace([article(2, 'tides'), { ...article(1, 'other'), title: 'Refused' }]);
  const schema = (context: SchemaContext) =>
    articleSchema(context).extend({ title: z.string().startsWith('Title') });
  expect((await slugs({ schema })).slugs).toEqual(['title-of-1-1', 'tides']);
});

test.each(['tides', 'waves'])(
  'an earlier version keeps its slug "tides" when the newest one, with the slug %j, is refused',
  async (slug) => {
    const schema = (context: SchemaContext) =>
      articleSchema(context).extend({ title: z.string().startsWith('Title') });
    site.service.replace([article(1, 'tides')]);
    await site.load({}, { schema });
    site.service.replace([{ ...article(1, slug), title: 'Refused' }]);
    const { entries } = await site.load({}, { schema });
    expect(entries.get('1')?.data).toMatchObject({ title: 'Title of 1', slug: 'tides' });
  },
);

test('an earlier version stays on the site when another article has taken the slug of its title', async () => {
  const schema = (context: SchemaContext) =>
    articleSchema(context).extend({ title: z.string().startsWith('Title') });
  site.service.replace([article(1, '')]);
  await site.load({}, { schema });
  site.service.replace([article(2, 'title-of-1-1'), { ...article(1, ''), title: 'Refused' }]);
  const { entries } = await site.load({}, { schema });
  const slugs = ['1', '2'].map((id) => entries.get(id)?.data.slug);
  expect(slugs).toEqual([expect.stringMatching(/^title-of-1-[a-z\d]{10}$/), 'title-of-1-1']);
});

test('requests an unlisted article of the history once, and keeps its paths', async () => {
  site.service.replace([article(1, 'tides'), article(2, 'waves')]);
  await site.load();
  const file = pathsFile(await site.mirror());
  const statuses = { gone: 404, failing: 500, forbidden: 403 };
  const ids = [...Object.keys(statuses), 'unlisted'];
  const slugs = ids.map((id) => [id, new Map([[`0 ${id}-title`, 1]])] as const);
  await writeFile(file, encodeHistory(new Map(slugs)));
  const fetchIt: typeof fetch = async (input, init) => {
    const id = new URL(String(input)).pathname.split('/').at(-2) ?? '';
    if (id === 'unlisted') return Response.json({ ...article(3, ''), id });
    const status = statuses[id as keyof typeof statuses];
    return status ? Response.json({}, { status }) : fetch(input, init);
  };
  const requested = async () => {
    const paths = new Set<string>();
    const { failure, warnings } = await site.load({
      retries: 0,
      fetch: (input, init) => {
        paths.add(new URL(String(input)).pathname.split('/').at(-2) ?? '');
        return fetchIt(input, init);
      },
    });
    expect([failure, warnings]).toEqual([undefined, []]);
    return ids.filter((id) => paths.has(id));
  };
  expect(await requested()).toEqual(ids);
  expect(await requested()).toEqual([]);
  const kept = await readFile(file, 'utf8');
  expect(ids.filter((id) => kept.includes(`${id}-title`))).toEqual(ids);
});

test('the loads of a build share one request for the history that the site has published', async () => {
  site.service.replace([article(1, 'tides')]);
  let status = 404;
  const requests: (string | undefined)[] = [];
  const { url } = await temporaryServer(({ url: path }, response) => {
    requests.push(path);
    response.writeHead(status).end();
  });
  let redirects = true;
  const build = async (...loads: LoadMore[]) => {
    requests.length = 0;
    const integration = { options: {}, redirects, mode: 'production' };
    const adapt: LoadMore['adapt'] = (context) => {
      siteAt(context.config.root).integration = integration;
      return { ...context, config: { ...context.config, site: url } };
    };
    const done: Load[] = [];
    for (const more of loads) done.push(await site.load({}, { adapt, ...more }));
    return done;
  };
  const [first, second] = await build({}, { collection: 'news' });
  expect(requests).toEqual(['/_articles/paths.jsonl']);
  expect(first?.log).toContain('No build has published a history of paths');
  expect(second?.log).not.toContain('No build');
  await build({});
  expect(requests).toHaveLength(1);
  status = 401;
  const [misspelt] = await build({ env: { ARTICLES_REDIRECTS: 'best effort' } });
  expect(misspelt?.failure?.code).toBe('history-unavailable');
  expect(misspelt?.failure?.hint).toContain('ARTICLES_REDIRECTS=best-effort');
  const [allowed] = await build({ env: { ARTICLES_REDIRECTS: ' best-effort ' } });
  expect(allowed?.warnings).toEqual([expect.stringContaining('could not be read')]);
  await build(offline, { command: 'dev' });
  expect(requests).toEqual([]);
  redirects = false;
  const [without] = await build({});
  expect(requests).toHaveLength(1);
  expect(without?.warnings).toEqual([expect.stringContaining('could not be read')]);
});

test('a load that uses the mirror in an outage adds what the site has published to it', async () => {
  site.service.replace([article(1, 'tides')]);
  await site.load();
  const published = new Map([['articles/1', new Map([['0 ebb', 9]])]]);
  const integration = { options: {}, redirects: true, mode: 'production' };
  const adapt: LoadMore['adapt'] = (context) => {
    siteAt(context.config.root).integration = {
      ...integration,
      published: Promise.resolve(published),
    };
    return context;
  };
  site.strike('any', { kind: 'status', status: 503 });
  const { failure } = await site.load({ failOn: ['articles'], retries: 0 }, { adapt });
  expect(failure).toBeUndefined();
  expect(await readFile(pathsFile(await site.mirror()), 'utf8')).toContain('"0 ebb"');
});
