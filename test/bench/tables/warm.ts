import { benchArticles, describedArticles } from '../articles.ts';
import { type Bench, laterPages, type Table } from '../bench.ts';
import { seconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import { type BenchSite, globContent, makeSite, ourContent, writeMarkdown } from '../sites.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000]);

/** A short load is a matter of when V8 collects its garbage, so it is measured more often. */
const oftenFor = ({ quick, repeats }: Bench, count: number) =>
  quick || count > 1000 ? repeats : 3 * repeats;

interface Variant {
  label: string;
  site: BenchSite;
  /** Milliseconds for what a service cannot but be asked for. */
  listing?: () => Promise<number>;
  /** Changes one article, to something else each time. */
  change(time: number): Promise<unknown>;
}

/** Later loads, against Astro's own loader of local files. */
export const warmTable: Table = {
  name: 'warm',
  title: 'Later loads, against local files',
  about: () =>
    '`astro sync` as a whole process, after a first one; *load* is what the loader takes in it, by the same clock ' +
    'around each loader. `glob()` reads the same articles as local Markdown files; ours asks a service without ' +
    'latency on the same machine, and takes its listing with all texts; *listing alone* is what `fetch()` and ' +
    '`json()` take for it in a process of their own. Loads of 1,000 are measured three times as often as the ' +
    `others. ${describedArticles}`,
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
          const { cold, same, changed } = await measure(bench, variant, oftenFor(bench, count));
          const loads = same.map(({ load }) => load);
          const walls = same.map(({ wall }) => wall);
          if (variant.label === globLabel) base = loads;
          return [
            times(loads, base ?? []),
            spread(loads, seconds),
            spread(changed, seconds),
            variant.listing ? spread(await bench.repeat(variant.listing), seconds) : '–',
            spread(walls, seconds),
            seconds(cold),
          ];
        });
      }
    }
  },
};

const globLabel = '`glob()`';

async function variantsOf(bench: Bench, count: number): Promise<Variant[]> {
  const files = await makeSite({ content: globContent });
  const articles = benchArticles(count);
  for (const article of articles) await writeMarkdown(files, article);
  const service = await bench.service(count);
  const changedText = (time: number) => `${articles[0]?.content}\n\nChanged ${time}.`;
  const changeFile = (time: number) =>
    writeMarkdown(files, { id: count, title: 'Changed', content: changedText(time) });
  const changeArticle = (time: number) =>
    service.tell({ kind: 'change', id: count, content: changedText(time) });

  const ours = (bodies: string) =>
    makeSite({
      content: ourContent,
      config: `integrations: [articles({ bodies: '${bodies}' })]`,
      env: service.env,
    });
  const { url: baseUrl, apiKey } = service;
  const asked = { baseUrl, apiKey, pages: laterPages(count), count: 0, concurrency: 8 };
  const listing = async () => (await runProgram<{ duration: number }>('bare', asked)).duration;
  const remote = { listing, change: changeArticle };
  return [
    { label: globLabel, site: files, change: changeFile },
    { label: "ours, `bodies: 'store'`", site: await ours('store'), ...remote },
    { label: "ours, `bodies: 'mirror'`", site: await ours('mirror'), ...remote },
  ];
}

async function measure(bench: Bench, { site, change, listing }: Variant, often: number) {
  const cold = (await site.astro('sync')).load;
  const same = await bench.repeat(() => site.astro('sync'), often);
  const changed = await bench.repeat(async () => {
    await change(performance.now());
    // The service makes its answers anew: not in the time that is measured.
    await listing?.();
    return (await site.astro('sync')).load;
  });
  await site.reset();
  return { cold, same, changed };
}
