import { expect, test } from 'vitest';
import { runStory } from '../simulation/simulate.ts';
import { drawSteps } from '../simulation/steps.ts';

// One test a story, so that a mutant is tried with the stories that reach its place.
const seeds = Array.from({ length: 80 }, (_, index) => index + 1);

test.each(seeds)('the simulated story of seed %i keeps the promises', async (seed) => {
  expect(await runStory(drawSteps(seed))).toBeUndefined();
});
