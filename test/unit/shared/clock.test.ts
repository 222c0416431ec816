import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { sleep, systemClock } from '../../../src/shared/clock.ts';
import { settle } from '../../helpers/settle.ts';
import { createManualClock } from '../webhook/manual-clock.ts';

/** Notes when a pause ends, and how. */
function sleepWith(signal?: AbortSignal) {
  const clock = createManualClock();
  const ends: unknown[] = [];
  sleep(clock, 100, signal).then(
    () => ends.push(clock.now()),
    (reason) => ends.push(reason),
  );
  return { clock, ends };
}

it('ends a pause after its time, and not before', async () => {
  const { clock, ends } = sleepWith();
  await clock.advance(99);
  expect(ends).toEqual([]);
  await clock.advance(1);
  expect(ends).toEqual([100]);
});

it('ends a pause with the reason of the signal, at once', async () => {
  const abort = new AbortController();
  const { clock, ends } = sleepWith(abort.signal);
  await clock.advance(50);
  abort.abort('enough');
  await settle();
  expect(ends).toEqual(['enough']);
  await clock.advance(1_000);
  expect(ends).toEqual(['enough']);
});

it('starts no timer for a signal that is aborted already', async () => {
  const clock = { ...createManualClock(), after: () => expect.fail('a timer was started') };
  await expect(sleep(clock, 100, AbortSignal.abort('before'))).rejects.toBe('before');
});

it('leaves neither a timer nor a listener', async () => {
  const abort = new AbortController();
  const timers = new Set<() => void>();
  const clock = {
    ...createManualClock(),
    after(_: number, callback: () => void) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  const listeners = () => getEventListeners(abort.signal, 'abort').length;
  const ended = sleep(clock, 100, abort.signal);
  expect([timers.size, listeners()]).toEqual([1, 1]);
  for (const callback of timers) callback();
  await ended;
  expect(listeners()).toBe(0);
  timers.clear();
  const aborted = sleep(clock, 100, abort.signal);
  abort.abort('enough');
  await expect(aborted).rejects.toBe('enough');
  expect([timers.size, listeners()]).toEqual([0, 0]);
});

it('cancels a call of the clock of the system', async () => {
  const calls: string[] = [];
  systemClock.after(0, () => calls.push('cancelled'))();
  await sleep(systemClock, 1);
  expect(calls).toEqual([]);
});
