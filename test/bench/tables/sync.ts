import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describedArticles } from '../articles.ts';
import { type Bench, type BenchService, laterPages, type Table } from '../bench.ts';
import { seconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import { makeSite, ourContent } from '../sites.ts';

const sizeOf = ({ quick }: Bench) => (quick ? 100 : 2000);

/** The first time, against what the latency of the service alone would take. */
export const syncTable: Table = {
  name: 'sync',
  title: 'The first sync',
  about: (bench) =>
    `${sizeOf(bench)} articles without covers. *Ideal* is latency × (pages of 500 in rounds, the first one ` +
    'alone, + articles / concurrency): what a schedule without a gap takes on a machine that needs no time. ' +
    '*Sync* is from the first request to the committed mirror, in a process of its own. *Load* is the whole ' +
    'loader in `astro sync`, rendering and Astro’s store included: it cannot take less than rendering does. ' +
    '*Bare* is a loop of `fetch` that asks for the same, as many at a time, checks nothing and keeps nothing: what ' +
    'the machine and a service beside it, which takes processor time from all of them, leave to be had. ' +
    describedArticles,
  columns: [
    'latency, concurrency',
    'sync ÷ ideal',
    'sync ÷ bare',
    'load ÷ ideal',
    'sync',
    'bare',
    'load',
    'ideal',
  ],

  async fill(bench, row) {
    const service = await bench.service(sizeOf(bench));
    for (const latency of [0, 20, 50]) {
      for (const concurrency of [8, 32]) {
        await row(`${latency} ms, ${concurrency}`, async () => {
          await service.tell({ kind: 'latency', latency });
          const ideal = idealOf({ count: sizeOf(bench), latency, concurrency });
          const bare = await bench.repeat(() => askBarely(bench, { service, concurrency }));
          const synced = await bench.repeat(() => syncOnce(bench, { service, concurrency }));
          const loaded =
            bench.quick && latency !== 50
              ? []
              : await loadRepeatedly(bench, { service, concurrency });
          return [
            times(synced, [ideal]),
            times(synced, bare),
            times(loaded, [ideal]),
            spread(synced, seconds),
            spread(bare, seconds),
            spread(loaded, seconds),
            seconds(ideal),
          ];
        });
      }
    }
  },
};

interface Setting {
  service: BenchService;
  concurrency: number;
}

function idealOf(given: { count: number; latency: number; concurrency: number }): number {
  const { count, latency, concurrency } = given;
  const rounds = 1 + Math.ceil(laterPages(count).length / concurrency);
  return latency * (rounds + count / concurrency);
}

async function syncOnce({ folder }: Bench, { service, concurrency }: Setting): Promise<number> {
  const mirror = join(folder, 'mirror');
  const given = { folder: mirror, baseUrl: service.url, apiKey: service.apiKey, concurrency };
  const { duration } = await runProgram<{ duration: number }>('sync', given);
  await rm(mirror, { recursive: true });
  return duration;
}

async function askBarely(bench: Bench, { service, concurrency }: Setting): Promise<number> {
  const count = sizeOf(bench);
  const given = { baseUrl: service.url, apiKey: service.apiKey, count, concurrency };
  const pages = laterPages(count);
  return (await runProgram<{ duration: number }>('bare', { ...given, pages })).duration;
}

async function loadRepeatedly(bench: Bench, { service, concurrency }: Setting): Promise<number[]> {
  const config = `integrations: [articles({ concurrency: ${concurrency} })]`;
  const site = await makeSite({ content: ourContent, config, env: service.env });
  return bench.repeat(async () => {
    await site.reset();
    return (await site.astro('sync')).load;
  });
}
