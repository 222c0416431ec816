import { siteAt } from '../../content/site-state.ts';
import { ArticlesError } from '../../errors.ts';
import { sleep, systemClock } from '../../shared/clock.ts';
import type { Refresher } from './refresher.ts';

/** The longest time in milliseconds without a refresh, because a fix may not change the listing. */
const maxAge = 300_000;

/**
 * Checks the listing every `interval` ms, counted from the last response, and refreshes when it has changed:
 * a refresh without changes would still print a line and write Astro's store. The first check always
 * refreshes, because the earlier listing is unknown. Ends when the refresher is closed.
 */
export async function poll(
  root: URL,
  { refresh, signal }: Pick<Refresher, 'refresh' | 'signal'>,
  interval: number,
): Promise<void> {
  let last: string | undefined;
  let refreshedAt = systemClock.now();
  while (!signal.aborted) {
    await sleep(systemClock, interval, signal).catch(() => undefined);
    const { listings } = siteAt(root);
    // Before the first load, and with `offline`, a listing cannot be checked.
    if (listings.size === 0 || signal.aborted) continue;
    const reads = [...listings.values()].map((read) => read(signal).catch(codeOf));
    const digests = await Promise.all(reads);
    // Undefined when articles may change without a change in the listing.
    const digest = digests.includes(undefined) ? undefined : digests.join('\n');
    const isNew = digest === undefined || digest !== last;
    last = digest;
    if (signal.aborted || (!isNew && systemClock.now() - refreshedAt < maxAge)) continue;
    await refresh();
    refreshedAt = systemClock.now();
  }
}

/** Returns the code of an error in place of a digest, so that an outage that continues is not a change. */
function codeOf(error: unknown): string {
  return ArticlesError.is(error) ? error.code : String(error);
}
