/**
 * The number of runs of a property. `npm run test:full` sets `TEST_SCALE`, so that properties run
 * longer there.
 */
export function runs(count: number): { numRuns: number; includeErrorInReport: true } {
  const scale = Number(process.env.TEST_SCALE ?? 1);
  return { numRuns: Math.max(1, Math.round(count * scale)), includeErrorInReport: true };
}
