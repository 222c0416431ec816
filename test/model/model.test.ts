import { expect, it } from 'vitest';
import { startService } from '../../fixtures/service.ts';
import { runs } from '../helpers/runs.ts';
import { drawTrace, step } from './life.ts';
import { brokenPromises } from './promises.ts';
import { replay, tellShortest } from './replay.ts';
import { empty } from './rules.ts';

it('the rules keep the promises in every trace, and each outcome of a load occurs', () => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= runs(2_000).numRuns; seed++) {
    let world = empty;
    for (const action of drawTrace(seed)) {
      const next = step(world, action);
      if (action.kind === 'load' && next.seen) {
        const broken = brokenPromises(world, action, next.world, next.seen);
        expect(broken, `trace ${seed}`).toEqual([]);
        outcomes.add(next.seen.outcome);
      }
      world = next.world;
    }
  }
  const failures = ['history-unavailable', 'invalid-articles', 'mass-removal', 'mirror-empty'];
  const all = ['synced', 'kept', 'killed', 'server-error', ...failures];
  expect([...outcomes].sort()).toEqual(all.sort());
});

it('loads show what the rules say', async () => {
  const service = await startService({ articles: [] });
  for (let seed = 1; seed <= runs(60).numRuns; seed++) {
    const trace = drawTrace(seed);
    if (!(await replay(service, trace))) continue;
    expect.fail(`Trace ${seed} differs: ${await tellShortest(service, trace)}`);
  }
  await service.close();
});
