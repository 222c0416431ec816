import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createQueue } from '../../../src/sync/queue.ts';

const delays = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 });

/** A queue whose items take as many turns of the event loop as they say. */
function observed(atOnce: number) {
  const begun: number[] = [];
  let active = 0;
  let most = 0;
  let done = 0;
  const queue = createQueue<{ index: number; turns: number }>(async ({ index, turns }) => {
    begun.push(index);
    active += 1;
    most = Math.max(most, active);
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    active -= 1;
    done += 1;
  }, atOnce);
  return { queue, begun, most: () => most, done: () => done };
}

describe('a queue', () => {
  it('begins items in their order, no more than so many at once, and is idle after the last', () =>
    fc.assert(
      fc.asyncProperty(delays, fc.integer({ min: 1, max: 4 }), async (items, atOnce) => {
        const { queue, begun, most, done } = observed(atOnce);
        for (const [index, turns] of items.entries()) queue.push({ index, turns });
        await queue.idle();
        expect(queue.isIdle()).toBe(true);
        expect(begun).toEqual(items.map((_, index) => index));
        expect(done()).toBe(items.length);
        expect(most()).toBe(Math.min(atOnce, items.length));
      }),
    ));

  it('has room once no more than so many wait', () =>
    fc.assert(
      fc.asyncProperty(delays, fc.nat({ max: 10 }), async (items, room) => {
        const { queue, begun } = observed(1);
        for (const [index, turns] of items.entries()) queue.push({ index, turns });
        await queue.room(room);
        // No later than that, since only one is under way at a time.
        expect(begun.length).toBe(Math.max(Math.min(1, items.length), items.length - room));
        expect(queue.length).toBe(items.length - begun.length);
        queue.clear();
        await queue.idle();
      }),
    ));

  it('forgets what waits when it is cleared, and goes on with what comes after', async () => {
    const { queue, begun } = observed(1);
    for (const index of [0, 1, 2]) queue.push({ index, turns: 1 });
    const waiting = queue.room(0);
    queue.clear();
    await waiting;
    queue.push({ index: 3, turns: 0 });
    await queue.idle();
    expect(begun).toEqual([0, 3]);
  });
});
