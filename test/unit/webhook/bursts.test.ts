import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBursts, type PacedAction } from '../../../src/webhook/bursts.ts';
import { runs } from '../../helpers/runs.ts';
import { createManualClock } from './manual-clock.ts';

const window = 5_000;

/** Creates bursts of an action that notes when it runs, and for which requests. */
function useBursts(pace: Partial<PacedAction> = {}) {
  const clock = createManualClock();
  const ran: { at: number; body: unknown; bodies: readonly unknown[]; context: unknown }[] = [];
  const run: PacedAction['run'] = async ({ body, bodies, context }) =>
    void ran.push({ at: clock.now(), body, bodies, context });
  const request = createBursts({ name: 'note', run, ...pace }, window, clock);
  return { clock, ran, request };
}

const report = { action: 'note', ok: true, attempts: 1 };

describe('bursts', () => {
  test('give an action for several requests the body and the context of the latest one', async () => {
    const { clock, ran, request } = useBursts();
    for (const body of ['a', 'b', 'c']) request({ body, context: `context of ${body}` });
    await clock.advance(10_000);
    expect(ran).toEqual([
      { at: 0, body: 'a', bodies: ['a'], context: 'context of a' },
      { at: window, body: 'c', bodies: ['b', 'c'], context: 'context of c' },
    ]);
  });

  test('act at once, lose no request, and wait for the window between two runs', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 20, maxLength: 60 });
    let folded = 0;
    await fc.assert(
      fc.asyncProperty(times, async (arrivals) => {
        const { clock, ran, request } = useBursts();
        const reports: Promise<object>[] = [];
        for (const [index, at] of arrivals.entries()) {
          clock.after(at, () => {
            reports.push(request({ body: index, context: undefined }).report);
          });
        }
        await clock.advance(60_000);
        expect(await Promise.all(reports)).toEqual(arrivals.map(() => report));
        const all = ran.flatMap(({ bodies }) => bodies);
        expect(all.toSorted()).toEqual([...arrivals.keys()].toSorted());
        for (const { at, bodies } of ran) {
          for (const index of bodies) {
            const waited = at - (arrivals[Number(index)] ?? 0);
            expect(waited).toBeGreaterThanOrEqual(0);
            expect(waited).toBeLessThanOrEqual(window);
          }
          folded += bodies.length > 1 ? 1 : 0;
        }
        expect(ran[0]?.at).toBe(Math.min(...arrivals));
        const pauses = ran.slice(1).map(({ at }, index) => at - (ran[index]?.at ?? 0));
        const times = ran.map(({ at }) => at).join(', ');
        const shortest = Math.min(window, ...pauses);
        expect(shortest, `the shortest pause between runs at ${times} ms`).toBe(window);
      }),
      runs(20),
    );
    expect(folded).toBeGreaterThan(10);
  });

  test('run an action with delays of its own after each of them, and report the first run', async () => {
    const { clock, ran, request } = useBursts({ delays: [1_000, 3_000, 20_000], window: () => 0 });
    const { report: first, all } = request({ body: 'a', context: undefined });
    await clock.advance(1_000);
    expect(await first).toEqual(report);
    expect(ran).toHaveLength(1);
    await clock.advance(60_000);
    expect(await all).toEqual([report, report, report]);
    expect(ran.map(({ at }) => at)).toEqual([1_000, 4_000, 21_000]);
  });

  test.each([
    ['can continue', () => {}, [0, 1_000]],
    ['ends with the response', undefined, [0, 9_000]],
  ])('use the window of the action on a host whose work %s', async (_, waitUntil, expected) => {
    const pace = (continues: boolean) => (continues ? 1_000 : 9_000);
    const { clock, ran, request } = useBursts({ window: pace });
    for (const body of ['a', 'b']) request({ body, context: undefined, waitUntil });
    await clock.advance(60_000);
    expect(ran.map(({ at }) => at)).toEqual(expected);
  });
});
