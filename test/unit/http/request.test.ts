import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createRateLimit } from '../../../src/http/request.ts';
import { createClock } from '../../helpers/clock.ts';

const forever = { deadline: Number.POSITIVE_INFINITY };

/** Requests that end when the test says so. */
function useRequests(concurrency = 4) {
  const clock = createClock();
  const rateLimit = createRateLimit({ concurrency, clock });
  const sent: (() => void)[] = [];
  const send = async (until = forever) => {
    const turn = await rateLimit.takeTurn(until);
    sent.push(turn.end);
  };
  /** Ends that many requests, and waits for those that follow. */
  const end = async (count: number, { success = true } = {}) => {
    for (const resolve of sent.splice(0, count)) {
      if (success) rateLimit.succeed();
      resolve();
    }
    // Lets timers fire, in turns, because a busy machine may delay each of them.
    for (let turn = 0; turn < 10; turn++) await sleep(1);
    return sent.length;
  };
  return { rateLimit, send, end, clock };
}

describe('a rate limit', () => {
  it('sends one request at a time after a pause, and one more after twenty successes', async () => {
    const { rateLimit, send, end, clock } = useRequests(3);
    const all = Promise.all(Array.from({ length: 70 }, () => send()));
    expect(await end(0)).toBe(3);
    rateLimit.pause(1_000);
    expect(await end(3)).toBe(1);
    expect(clock.waits).toContain(1_000);
    expect(await end(1, { success: false })).toBe(1);
    for (let count = 1; count < 20; count++) expect(await end(1)).toBe(1);
    const atATime: number[] = [];
    for (let sent = await end(1); sent > 0; sent = await end(sent)) atATime.push(sent);
    // The last ones are fewer.
    expect(atATime.slice(0, -1)).toEqual([...Array(10).fill(2), ...Array(8).fill(3)]);
    await all;
  });

  it('waits for the longest of pauses that overlap', async () => {
    const { rateLimit, send, end, clock } = useRequests();
    for (const delay of [500, 2_000, 1_000]) rateLimit.pause(delay);
    const request = send();
    expect(await end(0)).toBe(1);
    expect(clock.now()).toBe(2_000);
    await end(1);
    await request;
  });

  it('fails a request at once whose turn would come after its deadline, or that is aborted', async () => {
    const { rateLimit, send, clock } = useRequests();
    rateLimit.pause(5_000);
    await expect(send({ deadline: clock.now() + 1_000 })).rejects.toMatchObject({
      failure: { code: 'total-timeout' },
    });
    expect(clock.now()).toBe(0);
    const until = { ...forever, signal: AbortSignal.abort(new Error('enough')) };
    await expect(send(until)).rejects.toThrow('enough');
  });
});
