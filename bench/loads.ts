import type { Bench } from './bench.ts';
import { seconds, spread, times, valuesOf } from './figures.ts';
import type { AstroRun, BenchSite } from './sites.ts';

/** The measurements of first and later loads of a site. */
export interface Loads {
  /** Milliseconds of each first load. */
  first: number[];
  /** Milliseconds of each later load. */
  later: number[];
  /** The number of requests in the last measurement. */
  requests: { first: number; later: number };
}

/** Measures `astro sync` on a reset site and, after it, with nothing changed. */
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

/** Formats the ratios to `base`, the times and the numbers of requests. */
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

/** The runs of first and later builds of a site. */
export interface Builds {
  first: AstroRun[];
  later: AstroRun[];
}

interface BuildsOptions {
  site: BenchSite;
  build?: () => Promise<AstroRun>;
  /** @default those of the bench */
  repeats?: number;
}

/** Measures `astro build` on a reset site and, after it, with nothing changed. */
export async function measureBuilds(
  bench: Bench,
  { site, build = () => site.astro('build'), repeats }: BuildsOptions,
): Promise<Builds> {
  const builds: Builds = { first: [], later: [] };
  await bench.repeat(async () => {
    await site.reset();
    builds.first.push(await build());
    builds.later.push(await build());
  }, repeats);
  return builds;
}

/** Formats the ratios to `base`, and the times. */
export function buildCells({ first, later }: Builds, base: Builds | undefined): string[] {
  const walls = [valuesOf(first, 'wall'), valuesOf(later, 'wall')] as const;
  return [
    times(walls[0], valuesOf(base?.first ?? [], 'wall')),
    times(walls[1], valuesOf(base?.later ?? [], 'wall')),
    ...walls.map((each) => spread(each, seconds)),
  ];
}
