import { sleep, systemClock } from '../../shared/clock.ts';
import type { Refresher } from './refresher.ts';

/**
 * Loads the articles every `interval` ms, counted from the end of the last load, and prints nothing while nothing
 * changes. Ends when the refresher is closed.
 */
export async function poll(
  { reload, signal }: Pick<Refresher, 'reload' | 'signal'>,
  interval: number,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(systemClock, interval, signal).catch(() => undefined);
    if (!signal.aborted) await reload();
  }
}
