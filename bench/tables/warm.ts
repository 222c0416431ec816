import { articlesNote, benchArticles } from '../articles.ts';
import { type Bench, laterPages, type Table } from '../bench.ts';
import { seconds, spread, times } from '../figures.ts';
import { runProgram } from '../processes.ts';
import { type BenchSite, globContent, makeSite, packageContent, writeMarkdown } from '../sites.ts';

const sizesOf = ({ quick }: Bench) => (quick ? [100] : [1000, 10_000]);

/** Garbage collection changes the time of a short load, so short loads are measured more often. */
const repeatsFor = ({ quick, repeats }: Bench, count: number) =>
  quick || count > 1000 ? repeats : 3 * repeats;

interface Variant {
  label: string;
  site: BenchSite;
  /** Fetches the listing, and returns the milliseconds that it takes. */
  listing?: () => Promise<number>;
  /** Changes one article; each `time` gives another text. */
  change(time: number): Promise<unknown>;
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
          const { cold, same, changed } = await measure(bench, variant, repeatsFor(bench, count));
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
    service.send({ kind: 'change', id: count, content: changedText(time) });

  const packageSite = (bodies: string) =>
    makeSite({
      content: packageContent,
      config: `integrations: [articles({ bodies: '${bodies}' })]`,
      env: service.env,
    });
  const { url: baseUrl, apiKey } = service;
  const options = { baseUrl, apiKey, pages: laterPages(count), count: 0, concurrency: 8 };
  const listing = async () => (await runProgram<{ duration: number }>('bare', options)).duration;
  const remote = { listing, change: changeArticle };
  return [
    { label: globLabel, site: files, change: changeFile },
    { label: "astro-articles, `bodies: 'store'`", site: await packageSite('store'), ...remote },
    { label: "astro-articles, `bodies: 'mirror'`", site: await packageSite('mirror'), ...remote },
  ];
}

async function measure(bench: Bench, { site, change, listing }: Variant, repeats: number) {
  const cold = (await site.astro('sync')).load;
  const same = await bench.repeat(() => site.astro('sync'), repeats);
  const changed = await bench.repeat(async () => {
    await change(performance.now());
    // The service generates the changed listing now, so that the measured time does not include it.
    await listing?.();
    return (await site.astro('sync')).load;
  });
  await site.reset();
  return { cold, same, changed };
}
