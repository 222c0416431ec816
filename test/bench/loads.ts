import type { Bench } from './bench.ts';
import { seconds, spread, times } from './figures.ts';
import type { BenchSite } from './sites.ts';

/** First and later loads of a site, with the requests of the last ones. */
export interface Loads {
  first: number[];
  later: number[];
  requests: { first: number; later: number };
}

/** Loads from nothing, and again, by `astro sync`. */
export async function measureLoads(
  bench: Bench,
  { site, requests }: { site: BenchSite; requests: () => Promise<number> },
): Promise<Loads> {
  const loads: Loads = { first: [], later: [], requests: { first: 0, later: 0 } };
  await bench.repeat(async () => {
    await site.reset();
    await requests();
    loads.first.push((await site.astro('sync')).load);
    loads.requests.first = await requests();
    loads.later.push((await site.astro('sync')).load);
    loads.requests.later = await requests();
  });
  return loads;
}

/** Both ratios, both times, and both numbers of requests. */
export function loadCells(loads: Loads, base: Loads | undefined): string[] {
  return [
    times(loads.first, base?.first ?? []),
    times(loads.later, base?.later ?? []),
    spread(loads.first, seconds),
    spread(loads.later, seconds),
    String(loads.requests.first),
    String(loads.requests.later),
  ];
}
