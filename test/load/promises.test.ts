import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { z } from 'astro/zod';
import { describe, expect, it, vi } from 'vitest';
import { type FixtureArticle, makeArticles } from '../../fixtures/articles.ts';
import { articleSchema } from '../../src/content/schema.ts';
import { siteAt } from '../../src/content/site-state.ts';
import { liveArticlesLoader } from '../../src/live/index.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { fixtureCover, startImageHost, withDomains } from '../helpers/image-host.ts';
import type { CollectionSchema } from '../helpers/loader-context.ts';
import { filesIn } from '../helpers/mirror-folder.ts';
import { oddIds } from '../helpers/odd-ids.ts';
import { temporaryFolder } from '../helpers/temporary.ts';
import { speedUp } from '../helpers/time.ts';
import { key, type Load, loadSite, siteState, useSite } from '../helpers/use-site.ts';

// Tests that try to break the promises of docs/architecture.md. P1, P2, P7, P9 and P10 are in test/simulation, P1 also
// in each-request.test.ts, P1 and P10 in test/unit/mirror, P5 in cost.test.ts, P6 in one-article.test.ts, P7 in
// absence.test.ts, and P8 in astro-images.test.ts.

const ids = [...oddIds, 'constructor', 'x'.repeat(512)];
const oddArticles = () =>
  makeArticles(ids.length, { seed: 7, words: [5, 10] }).map((article, index) => ({
    ...article,
    id: ids[index],
  }));

const site = useSite({
  articles: () => [...oddArticles(), ...makeArticles(8, { words: [5, 10], cover: 'pause.gif' })],
});

describe('P3: the key', () => {
  it('is not sent to hosts of images, also after a redirect from the service', async () => {
    const host = await startImageHost();
    host.responses.set('/cover', await fixtureCover('pause.gif'));
    site.service.change(8, { cover_image: `${host.url}/cover` });
    site.service.change(7, { cover_image: '/media/tides.jpg' });
    site.strike('media', { kind: 'redirect', location: `${host.url}/cover` });
    const options: ArticlesOptions = { images: { body: 'local' } };
    const { failure } = await site.load(options, withDomains(`127.0.0.1:${host.port}`));
    expect(failure).toBeUndefined();
    expect(host.requests.length).toBeGreaterThan(0);
    for (const { headers } of host.requests) expect(JSON.stringify(headers)).not.toContain(key);
    const media = site.service.requests.filter(({ kind }) => kind === 'media');
    for (const { headers } of media) expect(JSON.stringify(headers)).not.toContain(key);
    await host.close();
  });

  it.each<[string, Partial<FixtureArticle>, ArticlesOptions?]>([
    ['the URL of a cover', { cover_image: `/media/${key}.png` }],
    ['a cover of another shape', { cover_image: { [key]: 1 } as never }],
    ['the URL of an image', { content: `![](/media/${key}.png)` }, { images: { body: 'local' } }],
    ['the host of a frame', { content: `<iframe src="https://${key}/"></iframe>` }],
    ['a part of the id', { id: `x-${key}`, title: 7 as never }],
    ['the name of a field', { [key]: JSON.parse('['.repeat(70) + ']'.repeat(70)) }],
    ['a field of the schema', { tags: [key] }],
    ['an error of `transform`', { title: key }, { transform: ({ title }) => raise(title) }],
  ])('is in no message or file when an article has it in %s', async (_, fields, options) => {
    const article = { id: 2, title: 'Title', content: 'Text', cover_image: null };
    site.service.replace([
      { ...article, ...fields },
      { ...article, id: 1 },
    ]);
    const schema: CollectionSchema = (context) =>
      articleSchema(context).extend({
        tags: z.array(z.string().refine(() => false, refused)).optional(),
      });
    const rows: ArticlesOptions[] = [
      { failOn: [] },
      {},
      { rows: { changedBy: 'at' } },
      { rows: 'whole' },
    ];
    for (const given of rows) {
      const { failure, log, context } = await site.load({ ...options, ...given }, { schema });
      const { reports } = siteAt(pathToFileURL(`${site.root}/`));
      const error = `${failure?.message} ${failure?.stack} ${failure?.hint}`;
      const reported = [...reports.values()].map(({ error, notices }) => [error, notices]);
      const all = [log, error, JSON.stringify([reported, failure?.notices])].join();
      expect(all).toMatch(/it contains the API key|\[the API key\]/);
      const files = [...(await filesIn(site.root))].flat();
      for (const text of [all, context.storeText(), ...files]) expect(text).not.toContain(key);
    }
  });

  it.each<ArticlesOptions['rows']>(['compare', { changedBy: 'at' }, 'whole'])(
    'is in no file when only the rows of an article have it (%j)',
    async (rows) => {
      site.strike('list', {
        kind: 'rewrite',
        rewrite: (page) => withField(page, { debug: [{ [key]: 1 }] }),
      });
      const { context, log, entries } = await site.load({ rows });
      expect(entries.size).toBe(site.service.articles.length);
      const files = [...(await filesIn(site.root))].flat();
      for (const text of [log, context.storeText(), ...files]) expect(text).not.toContain(key);
    },
  );

  it('is in no file when only the cover of a row has it, as a signature', async () => {
    const cover = '/media/tides.jpg?signature=';
    const article = { id: 1, title: 'Title', content: 'Text', cover_image: `${cover}a`, at: 1 };
    site.service.replace([article]);
    const options: ArticlesOptions = { rows: { changedBy: 'at' }, images: { covers: 'remote' } };
    await site.load(options);
    const rewrite = (page: unknown) => withField(page, { cover_image: cover + key });
    site.strike('list', { kind: 'rewrite', rewrite });
    const { context } = await site.load(options);
    expect(context.storeText()).toContain(cover);
    const files = [...(await filesIn(site.root))].flat();
    for (const text of [context.storeText(), ...files]) expect(text).not.toContain(key);
  });

  it('is not shown by a live page, whose list is made of rows', async () => {
    site.service.replace([{ id: 1, title: key, content: 'Text', cover_image: null }]);
    speedUp(1);
    const loader = liveArticlesLoader({ baseUrl: site.service.url, apiKey: key });
    const loaded = await loader.loadCollection({ filter: {}, collection: 'articles' });
    expect(JSON.stringify(loaded)).not.toContain(key);
    expect(loaded).toMatchObject({ error: { notices: [{ text: 'it contains the API key' }] } });
  });

  it('is not replaced in messages if it is as short as a word', async () => {
    site.service.change(8, { title: 7 as never });
    site.service.options.apiKey = 'article';
    const { log } = await site.load({ apiKey: 'article', failOn: ['service'] });
    expect(log).toContain('article "8", field title');
  });
});

function withField(page: unknown, field: object): unknown {
  const { results, ...rest } = Object(page);
  return { ...rest, results: results.map((row: object) => ({ ...row, ...field })) };
}

function raise(message: string): never {
  throw new Error(message);
}

const refused = { error: ({ input }: { input: unknown }) => `${input} is refused` };

describe('P4: the same articles and configuration give the same bytes', () => {
  const options = { images: { body: 'local' }, concurrency: 6, pageSize: 5 } as const;

  function useImages(): void {
    const covers = ['pause.gif', 'tides.jpg', 'snow.jpg', 'search.png'];
    for (const [index, { id }] of site.service.articles.entries()) {
      const cover = covers[index % covers.length];
      const content = `Text ${index}.\n\n![a](/media/${covers[(index + 1) % covers.length]})`;
      site.service.change(id, { content, cover_image: `/media/${cover}` });
    }
  }

  /** Returns the results of a load: the store, and each file of the mirror. */
  async function bytesOf({ context }: Load): Promise<unknown> {
    const entries = context.store.values().toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return { entries, files: await filesIn(context.mirrors) };
  }

  /** Loads a new site, with responses in another order for each round. */
  async function loadInDisorder(round: number): Promise<{ bytes: unknown; order: string[] }> {
    const root = await temporaryFolder();
    await writeFile(join(root, 'package-lock.json'), '{}');
    const finished: string[] = [];
    let requests = 0;
    site.service.beforeResponse = async ({ path }) => {
      requests += 1;
      await sleep((requests * (round + 5)) % 12);
      finished.push(path);
    };
    const service = { baseUrl: site.service.url, apiKey: key };
    const load = await loadSite({ root }, { ...service, ...options });
    expect(load.failure).toBeUndefined();
    return { bytes: await bytesOf(load), order: finished };
  }

  it('with any order of the responses', async () => {
    useImages();
    fixDate('2030-01-01');
    const first = await loadInDisorder(0);
    const orders = new Set([first.order.join()]);
    for (let round = 1; round < 3; round++) {
      const { bytes, order } = await loadInDisorder(round);
      orders.add(order.join());
      expect(bytes).toEqual(first.bytes);
    }
    expect(orders.size).toBeGreaterThan(1);
  });

  it('after any earlier state of the site', async () => {
    useImages();
    await site.load(options);
    site.service.change(8, { title: 'Changed', content: 'changed' });
    site.service.remove(0);
    site.service.add({ id: 'added', title: 'Added', content: 'added', cover_image: null });
    const after = await site.load(options);
    await rm(join(site.root, 'cache'), { recursive: true });
    const fresh = await site.load(options);
    expect(sorted(after)).toEqual(sorted(fresh));
  });

  it('when nothing has changed, also after a load of another configuration', async () => {
    useImages();
    fixDate('2030-01-01');
    const first = await bytesOf(await site.load(options));
    await site.load({ ...options, sanitize: 'strict', bodies: 'mirror' });
    const state = await siteState((await site.load(options)).context);
    expect(sorted(await site.load(options))).toEqual((first as { entries: unknown }).entries);
    expect(await site.state()).toEqual(state);
  });

  const sorted = ({ entries }: Load) =>
    [...entries.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));

  function fixDate(date: string): void {
    vi.spyOn(systemClock, 'date').mockReturnValue(Date.parse(date));
  }
});
