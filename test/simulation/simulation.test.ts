import { expect, it } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { failedLongSeeds, failedSeeds } from './failed-seeds.ts';
import { runSeed, type Tally } from './simulate.ts';

it('keeps the promises in every simulated story of a service, a site and their failures', async () => {
  const tally: Tally = {};
  const { numRuns } = runs(70);
  for (const seed of [...failedSeeds, ...Array.from({ length: numRuns }, (_, at) => at + 1)]) {
    const failure = await runSeed(seed, tally);
    if (failure) expect.fail(failure);
  }
  // Each kind of event really happened.
  const builds = ['normal', 'keep', 'offline', 'preview', 'staging', 'killed', 'refused'];
  const loads = ['synced', 'kept', 'failed'];
  const ofNewest = loads.map((kind) => `${kind} load of the newest`);
  const meetings = [
    ...['two loads at once', 'withheld page', 'return of an older article', 'redirect'],
    ...['entry that is refused', 'translated load', 'read-only mirror'],
    ...['renamed collection', 'site without its collection', 'site at another host'],
    ...['own slug that another article wants', 'own slug that another article had'],
  ];
  const steps =
    'edit manner trouble site dev sync lose restore configure wait foreign flood corrupt';
  const events = [
    ...builds.map((kind) => `${kind} build`),
    ...loads.map((kind) => `${kind} load`),
    ...[...ofNewest, ...meetings, ...steps.split(' ')],
  ];
  for (const event of events) {
    expect(tally[event], event).toBeGreaterThan(0);
  }
});

it('keeps the promises in stories of sixty builds', async () => {
  const tally: Tally = {};
  const { numRuns } = runs(3);
  for (const seed of [...failedLongSeeds, ...Array.from({ length: numRuns }, (_, at) => at + 1)]) {
    const failure = await runSeed(seed, tally, 60);
    if (failure) expect.fail(failure);
  }
  expect(tally['renamed collection']).toBeGreaterThan(0);
});
