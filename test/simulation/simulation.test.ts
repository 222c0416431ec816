import { expect, it } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { runSeed, type Tally } from './simulate.ts';

it('keeps all promises in every seed of the simulated world', async () => {
  const { SEED } = process.env;
  const { numRuns } = runs(100);
  const seeds = SEED
    ? SEED.split(',').map(Number)
    : Array.from({ length: numRuns }, (_, index) => index + 1);
  const tally: Tally = {};
  for (const seed of seeds) expect.soft(await runSeed(seed, tally), `seed ${seed}`).toBeUndefined();
  console.log(tally);
});
