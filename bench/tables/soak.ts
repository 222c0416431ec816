import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { articlesNote } from '../articles.ts';
import type { Bench, Table } from '../bench.ts';
import { startProgram } from '../processes.ts';
import type { Kept, MeasureCommand } from '../programs/kept.ts';
import type { ServerReady } from '../programs/site-server.ts';
import { articlePage, makeSite } from '../sites.ts';
import { buildLiveSite } from './live.ts';

const articles = 200;
const openRequests = 16;
/** Milliseconds after which no connection waits for another request. */
const idleTime = 15_000;
/** A page is requested this many times for each purge. */
const requestsPerPurge = 20;
/**
 * The rounds for each server, and the share by which it may grow in the last two thirds: before, caches still fill. The
 * 117 MB of a dev server grow by more if each round keeps 1.8 KB, which is about an entry.
 */
const sizes = ({ quick }: Bench) =>
  quick ? { rounds: 40, tolerance: 1 } : { rounds: 5_000, tolerance: 0.05 };

type Program = Awaited<ReturnType<typeof startProgram<ServerReady, MeasureCommand, unknown>>>;

/** Servers that run for hours. */
export const soakTable: Table = {
  name: 'soak',
  title: 'Servers that run for hours',
  isLong: true,
  about: (bench) =>
    `\`astro dev\` with ${sizes(bench).rounds} edits, each followed by a refresh and a request for the page, and a live ` +
    `server with as many purges and ${requestsPerPurge} requests for each, of ${articles} articles. What the process ` +
    'keeps is measured after a third and at the end. A row fails if heap, open files or timers grow by more than ' +
    `${100 * sizes(bench).tolerance} %. ${articlesNote}`,
  columns: ['server', 'rounds', 'heap', 'open files', 'timers'],

  async fill(bench, row) {
    const size = sizes(bench);
    const service = await bench.service(articles);

    await row('`astro dev`', async () => {
      const site = await makeSite({
        content: `
          import { defineCollection } from 'astro:content';
          import { articlesLoader } from 'astro-articles';
          export const collections = { articles: defineCollection({ loader: articlesLoader() }) };`,
        config: 'integrations: [articles()],',
        page: articlePage(),
      });
      // The page of the bench prints a line for each article.
      await site.write('src/marks.ts', 'export const markPage = () => {};');
      const options = { root: site.root, env: service.env };
      const started = await start('dev-server', options);
      return soak(started, size, async (round) => {
        const id = (round % articles) + 1;
        await service.send({ kind: 'change', id, content: `Edited in round ${round}.` });
        const response = await post(`${started.ready.url}/_articles/refresh`);
        if (!response.ok) throw new Error(`refresh responded ${await response.text()}`);
        const page = await (await fetch(`${started.ready.url}/${id}/`)).text();
        if (!page.includes(`round ${round}.`)) throw new Error('the page is not up to date');
      });
    });

    await row('live pages', async () => {
      const entry = await buildLiveSite(service.env);
      const started = await start('site-server', { entry, env: service.env });
      const limit = pLimit(openRequests);
      return soak(started, size, async (round) => {
        await post(`${started.ready.url}/purge`);
        const ids = Array.from({ length: requestsPerPurge }, (_, at) => ((round + at) % 10) + 1);
        await limit.map(ids, async (id) => {
          const text = await (await fetch(`${started.ready.url}/live/${id}`)).text();
          if (!text.includes('</html>')) throw new Error('a page is not whole');
        });
        await service.send({ kind: 'requests' });
      });
    });
  },
};

function start(program: string, options: object): Promise<Program> {
  return startProgram<ServerReady, MeasureCommand, unknown>(program, options);
}

function post(url: string): Promise<Response> {
  return fetch(url, { method: 'POST' });
}

/** Runs rounds against a server, and compares what it keeps after a third of them with the end. */
async function soak(
  { program }: Program,
  { rounds, tolerance }: ReturnType<typeof sizes>,
  run: (round: number) => Promise<void>,
): Promise<string[]> {
  const measure = async () => {
    await setTimeout(idleTime);
    return (await program.send({ kind: 'kept' })) as Kept;
  };
  try {
    let first: Kept | undefined;
    for (let round = 0; round < rounds; round++) {
      await run(round);
      if (round === Math.floor(rounds / 3)) first = await measure();
    }
    const last = await measure();
    if (!first) throw new Error('there were no rounds');
    return [String(rounds), ...describe(first, last, tolerance)];
  } finally {
    program.stop();
  }
}

function describe(first: Kept, last: Kept, tolerance: number): string[] {
  const grown = (['heap', 'files', 'timers'] as const).filter(
    (name) => last[name] > first[name] * (1 + tolerance),
  );
  const megabytes = ({ heap }: Kept) => `${(heap / 1e6).toFixed(1)} MB`;
  const cells = [
    `${megabytes(first)} → ${megabytes(last)}`,
    `${first.files} → ${last.files}`,
    `${first.timers} → ${last.timers}`,
  ];
  if (grown.length === 0) return cells;
  throw new Error(`more ${grown.join(' and ')}: ${cells.join(', ')}`);
}
