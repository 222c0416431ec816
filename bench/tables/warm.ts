import { join } from 'node:path';
import { articlesNote } from '../articles.ts';
import { type Bench, laterPages, type Table } from '../bench.ts';
import { seconds, spread, times, valuesOf } from '../figures.ts';
import { runProgram } from '../processes.ts';
import {
  bodiesVariants,
  type ChangingSite,
  changeOf,
  globLabel,
  makeChangingFiles,
  makePackageSite,
} from '../variants.ts';
import { drawCovers } from './covers.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000]);

/** Garbage collection changes the time of a short load, so short loads are measured more often. */
const repeatsFor = ({ quick, repeats }: Bench, count: number) =>
  quick || count > 1000 ? repeats : 3 * repeats;

interface Variant extends ChangingSite {
  label: string;
  /** Fetches the listing, and returns the milliseconds that it takes. */
  listing?: () => Promise<number>;
}

/** Later loads, compared with Astro's own loader of local files. */
export const warmTable: Table = {
  name: 'warm',
  title: 'Later loads, against local files',
  about: () =>
    '`astro sync` after a first one; *process* is the time of the whole process, and *load* the time of its loader. ' +
    '`glob()` reads the same articles as local Markdown files. This package fetches the listing, with all texts, from ' +
    'a service without latency on the same machine; *listing alone* is the time of `fetch()` and `json()` for it in a ' +
    'process of its own. Loads of 1,000 articles are measured three times as often as the ' +
    `others. ${articlesNote}`,
  columns: [
    'loader, articles',
    'load ÷ glob()',
    'load, nothing changed',
    'load, one changed',
    'listing alone',
    'process, nothing changed',
    'first load',
  ],

  async fill(bench, row) {
    for (const count of sizesOf(bench)) {
      let base: number[] | undefined;
      for (const variant of await variantsOf(bench, count)) {
        await row(`${variant.label}, ${count}`, async () => {
          const loads = await measure(bench, variant, repeatsFor(bench, count));
          if (variant.label === globLabel) base = valuesOf(loads.same, 'load');
          return cellsOf(bench, { variant, loads, base });
        });
      }
    }
    const [count = 0] = sizesOf(bench);
    const variant = await withCovers(bench, count);
    await row(`${variant.label}, ${count}`, async () => {
      const loads = await measure(bench, variant, repeatsFor(bench, count));
      return cellsOf(bench, { variant, loads, base: undefined });
    });
  },
};

async function cellsOf(
  bench: Bench,
  { variant, loads, base }: { variant: Variant; loads: Loads; base: number[] | undefined },
): Promise<string[]> {
  const { first, same, changed } = loads;
  return [
    base ? times(valuesOf(same, 'load'), base) : '–',
    spread(valuesOf(same, 'load'), seconds),
    spread(changed, seconds),
    variant.listing ? spread(await bench.repeat(variant.listing), seconds) : '–',
    spread(valuesOf(same, 'wall'), seconds),
    seconds(first),
  ];
}

/** Makes a site whose articles have covers of about 300 KB, which each load requests and checks. */
async function withCovers(bench: Bench, count: number): Promise<Variant> {
  const mediaFolder = join(bench.folder, 'large-covers');
  await drawCovers(mediaFolder, count, { width: 2560, quality: 100 });
  const service = await bench.service(count, { mediaFolder, covers: true });
  const site = await makePackageSite(service.env);
  return { label: 'astro-articles, covers of 300 KB', site, change: changeOf(service, count) };
}

async function variantsOf(bench: Bench, count: number): Promise<Variant[]> {
  const files = await makeChangingFiles(count);
  const service = await bench.service(count);
  const change = changeOf(service, count);
  const { url: baseUrl, apiKey, env } = service;
  const options = { baseUrl, apiKey, pages: laterPages(count), count: 0, concurrency: 8 };
  const listing = async () => (await runProgram<{ duration: number }>('bare', options)).duration;
  const variants: Variant[] = [{ label: globLabel, ...files }];
  for (const { label, options } of bodiesVariants) {
    variants.push({ label, site: await makePackageSite(env, options), change, listing });
  }
  return variants;
}

type Loads = Awaited<ReturnType<typeof measure>>;

async function measure(bench: Bench, { site, change, listing }: Variant, repeats: number) {
  const first = (await site.astro('sync')).load;
  const same = await bench.repeat(() => site.astro('sync'), repeats);
  const changed = await bench.repeat(async () => {
    await change();
    // The service generates the changed listing now, so that the measured time does not include it.
    await listing?.();
    return (await site.astro('sync')).load;
  });
  await site.reset();
  return { first, same, changed };
}
