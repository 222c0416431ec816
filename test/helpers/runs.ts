/** The number of runs of a property, times the environment variable `TEST_SCALE`, which CI and the nightly workflow set. */
export function runs(count: number): { numRuns: number; includeErrorInReport: true } {
  const scale = Number(process.env.TEST_SCALE ?? 1);
  return { numRuns: Math.max(1, Math.round(count * scale)), includeErrorInReport: true };
}

/** Whether what takes minutes runs, too, because `TEST_SCALE` is set. */
export const isLong = runs(1).numRuns > 1;

/** The versions of Astro with which a test runs: both in runs with `TEST_SCALE`. Other tests always build on both. */
export const astroVersions: readonly (7 | 6)[] = isLong ? [7, 6] : [7];
