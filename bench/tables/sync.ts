import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { articlesNote } from '../articles.ts';
import { type Bench, type BenchService, laterPages, type Table } from '../bench.ts';
import { seconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import { makePackageSite } from '../variants.ts';

const sizeOf = ({ quick }: Bench) => (quick ? 100 : 2000);

/** The first sync, compared with the time that the latency alone takes. */
export const syncTable: Table = {
  name: 'sync',
  title: 'The first sync',
  about: (bench) =>
    `${sizeOf(bench)} articles without covers. *Ideal* is latency × (rounds of pages + articles ÷ concurrency), with pages of ` +
    '500 and the first page in a round of its own: the time of an ideal schedule on a machine that needs no CPU time. ' +
    '*Sync* is the time from the first request to the committed mirror, without rendering, in a process of its own. *Load* is the time of ' +
    'the loader in `astro sync`, with rendering and Astro’s store, so it is at least the time of rendering. ' +
    '*Bare* is a loop of `fetch` that sends the same requests with the same concurrency, and checks and stores ' +
    'nothing: the lower bound on this machine, which also runs the service. ' +
    articlesNote,
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
          await service.send({ kind: 'latency', latency });
          const ideal = idealOf({ count: sizeOf(bench), latency, concurrency });
          const bare = await bench.repeat(() => fetchBare(bench, { service, concurrency }));
          const synced = await bench.repeat(() => runSync(bench, { service, concurrency }));
          const loaded =
            bench.quick && latency !== 50 ? [] : await runLoads(bench, { service, concurrency });
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

function idealOf(options: { count: number; latency: number; concurrency: number }): number {
  const { count, latency, concurrency } = options;
  const rounds = 1 + Math.ceil(laterPages(count).length / concurrency);
  return latency * (rounds + count / concurrency);
}

async function runSync({ folder }: Bench, { service, concurrency }: Setting): Promise<number> {
  const mirror = join(folder, 'mirror');
  const options = { folder: mirror, baseUrl: service.url, apiKey: service.apiKey, concurrency };
  const { duration } = await runProgram<{ duration: number }>('sync', options);
  await rm(mirror, { recursive: true });
  return duration;
}

async function fetchBare(bench: Bench, { service, concurrency }: Setting): Promise<number> {
  const count = sizeOf(bench);
  const options = { baseUrl: service.url, apiKey: service.apiKey, count, concurrency };
  const pages = laterPages(count);
  return (await runProgram<{ duration: number }>('bare', { ...options, pages })).duration;
}

async function runLoads(bench: Bench, { service, concurrency }: Setting): Promise<number[]> {
  const site = await makePackageSite(service.env, `concurrency: ${concurrency}`);
  return bench.repeat(async () => {
    await site.reset();
    return (await site.astro('sync')).load;
  });
}
