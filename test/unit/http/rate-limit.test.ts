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
  const send = (until = forever) =>
    rateLimit.run(() => new Promise<void>((resolve) => sent.push(resolve)), until);
  /** Lets timers fire, in turns, because a busy machine may delay each of them. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await sleep(1);
  };
  /** Ends that many requests, and waits for those that follow. */
  const end = async (count: number, { success = true } = {}) => {
    for (const resolve of sent.splice(0, count)) {
      if (success) rateLimit.succeed();
      resolve();
    }
    await settle();
  };
  return { rateLimit, sent, send, settle, end, clock };
}

describe('a rate limit', () => {
  it('sends one request after a pause, and half as many at a time as before when it succeeds', async () => {
    const { rateLimit, sent, send, settle, end, clock } = useRequests();
    const all = Promise.all(Array.from({ length: 9 }, () => send()));
    await settle();
    rateLimit.pause(1_000);
    await end(4);
    expect(clock.waits).toContain(1_000);
    expect(sent).toHaveLength(1);
    await end(1);
    expect(sent).toHaveLength(2);
    await end(2);
    await end(2);
    await all;
    expect(rateLimit.pauses).toBe(1);
  });

  it('keeps sending one request at a time until one succeeds', async () => {
    const { rateLimit, sent, send, end } = useRequests();
    rateLimit.pause(1_000);
    const all = Promise.all(Array.from({ length: 4 }, () => send()));
    await end(0);
    await end(1, { success: false });
    expect(sent).toHaveLength(1);
    await end(1);
    expect(sent).toHaveLength(2);
    await end(2);
    await all;
  });

  it('sends one more request at a time after twenty successes, up to what it began with', async () => {
    const { rateLimit, sent, send, settle, end } = useRequests(2);
    rateLimit.pause(1);
    const all = Promise.all(Array.from({ length: 60 }, () => send()));
    await settle();
    for (let count = 1; count < 20; count++) await end(1);
    expect(sent).toHaveLength(1);
    await end(1);
    expect(sent).toHaveLength(2);
    for (let count = 0; count < 19; count++) {
      await end(2);
      expect(sent.length).toBeLessThanOrEqual(2);
    }
    await end(2);
    await all;
  });

  it('counts pauses that overlap as one, and waits for the longest', async () => {
    const { rateLimit, sent, send, end, clock } = useRequests();
    rateLimit.pause(500);
    rateLimit.pause(2_000);
    rateLimit.pause(1_000);
    const request = send();
    await end(0);
    expect(sent).toHaveLength(1);
    expect(rateLimit.pauses).toBe(1);
    expect(clock.now()).toBe(2_000);
    await end(1);
    await request;
  });

  it('fails a request whose turn would come after its deadline, or that is aborted', async () => {
    const { rateLimit, send, clock } = useRequests();
    rateLimit.pause(5_000);
    await expect(send({ deadline: clock.now() + 1_000 })).rejects.toMatchObject({
      failure: { code: 'total-timeout' },
    });
    const until = { ...forever, signal: AbortSignal.abort(new Error('enough')) };
    await expect(send(until)).rejects.toThrow('enough');
  });
});
