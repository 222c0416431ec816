import { describedArticles } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { type Loads, loadCells, measureLoads } from '../loads.ts';
import { makeSite, ourContent } from '../sites.ts';

const countOf = ({ quick }: Bench) => (quick ? 60 : 500);
const latency = 50;

/** The loader that a site would have without this package. */
export const handTable: Table = {
  name: 'hand',
  title: 'Against a loop written by hand',
  about: (bench) =>
    `${countOf(bench)} articles without covers, ${latency} ms of latency, \`astro sync\`. The loop is the loader of Astro’s ` +
    'documentation: it clears the store, asks for page after page, for each article, renders it, and sets it; one ' +
    'request at a time, or eight with p-limit, which is also what ours sends at once. The loop has no retry, no ' +
    'check of what it is given, no images, no sanitising, and no store that outlasts Astro’s own. ' +
    describedArticles,
  columns: [
    'loader',
    'first ÷ ours',
    'later ÷ ours',
    'first load',
    'later load',
    'requests, first',
    'requests, later',
  ],

  async fill(bench, row) {
    const service = await bench.service(countOf(bench));
    await service.tell({ kind: 'latency', latency });
    const { env } = service;
    const own = { content: ourContent, config: 'integrations: [articles()]', env };
    const variants = [
      { label: 'ours', site: await makeSite(own) },
      { label: 'by hand, one at a time', site: await makeSite({ content: handContent(1), env }) },
      { label: 'by hand, eight at a time', site: await makeSite({ content: handContent(8), env }) },
    ];
    const requests = () => service.tell({ kind: 'requests' });
    let base: Loads | undefined;
    for (const { label, site } of variants) {
      await row(label, async () => {
        const loads = await measureLoads(bench, { site, requests });
        if (label === 'ours') base = loads;
        return loadCells(loads, base);
      });
    }
  },
};

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
