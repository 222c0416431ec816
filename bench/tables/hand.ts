import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { type Loads, loadCells, measureLoads } from '../loads.ts';
import { makeSite } from '../sites.ts';
import { makePackageSite } from '../variants.ts';

const countOf = ({ quick }: Bench) => (quick ? 60 : 500);
const latency = 50;

/** A simple loader that a site could have without this package. */
export const handTable: Table = {
  name: 'hand',
  title: 'Against a loop written by hand',
  about: (bench) =>
    `${countOf(bench)} articles without covers, ${latency} ms of latency, \`astro sync\`. The loop is the loader of Astro’s ` +
    'documentation: it clears the store, requests page after page, and then fetches, renders and sets each article. It ' +
    'sends one request at a time, or eight with p-limit, the default concurrency of this package. The loop has no retry, ' +
    'no validation, no images, no sanitising, and no cache besides Astro’s store. ' +
    articlesNote,
  columns: [
    'loader',
    'first ÷ astro-articles',
    'later ÷ astro-articles',
    'first load',
    'later load',
    'requests, first',
    'requests, later',
  ],

  async fill(bench, row) {
    const service = await bench.service(countOf(bench));
    await service.send({ kind: 'latency', latency });
    const { env } = service;
    const variants = [
      { label: packageLabel, site: await makePackageSite(env) },
      { label: 'by hand, one at a time', site: await makeSite({ content: handContent(1), env }) },
      { label: 'by hand, eight at a time', site: await makeSite({ content: handContent(8), env }) },
    ];
    const requests = () => service.send({ kind: 'requests' });
    let base: Loads | undefined;
    for (const { label, site } of variants) {
      await row(label, async () => {
        const loads = await measureLoads(bench, { site, requests });
        if (label === packageLabel) base = loads;
        return loadCells(loads, base);
      });
    }
  },
};

const packageLabel = 'astro-articles';

function handContent(atOnce: number): string {
  return `
    import { defineCollection } from 'astro:content';
    import { z } from 'astro/zod';
    import pLimit from 'p-limit';
    import { timed } from './marks.ts';

    const { ARTICLES_BASE_URL, ARTICLES_API_KEY } = process.env;
    const listing = ARTICLES_BASE_URL + '/api/integrations/project/articles/';
    const headers = { 'X-PROJECT-API-KEY': ARTICLES_API_KEY };

    async function getJson(url) {
      const response = await fetch(url, { headers });
      if (!response.ok) throw new Error('HTTP ' + response.status);
      return response.json();
    }

    const loader = {
      name: 'by-hand',
      async load({ store, parseData, generateDigest, renderMarkdown }) {
        const limit = pLimit(${atOnce});
        store.clear();
        for (let offset = 0; ; ) {
          const { results, next } = await getJson(listing + '?limit=500&offset=' + offset);
          await Promise.all(results.map(({ id }) => limit(async () => {
            const article = await getJson(listing + id + '/');
            const data = await parseData({ id: String(id), data: article });
            const rendered = await renderMarkdown(article.content);
            const digest = generateDigest(article);
            store.set({ id: String(id), data, body: article.content, rendered, digest });
          })));
          offset += results.length;
          if (!next) return;
        }
      },
    };
    const schema = z.object({ title: z.string(), cover_image: z.string().nullable() });
    export const collections = { articles: defineCollection({ loader: timed(loader), schema }) };`;
}
