import { siteAt } from '../../content/site-state.ts';
import { ArticlesError } from '../../errors.ts';
import type { Warning } from '../../report/load-report.ts';
import { systemClock } from '../../shared/clock.ts';
import type { Refreshed, Refresher } from './refresher.ts';

/**
 * From a refresh that left something wrong to the next, in ms: it may mend itself without a trace in
 * the listing.
 */
const afterTrouble = 300_000;

/**
 * Asks what the service lists, again and again, each time `interval` ms after the last answer, and
 * refreshes when that has changed: a load writes to the terminal and to Astro's store even when it finds
 * nothing new. The first look refreshes, since nobody knows what was listed when the server started.
 *
 * @returns ends it
 */
export function poll(root: URL, refresher: Refresher, interval: number): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let cancel = () => {};
  let last: string | undefined;
  let refreshedAt = systemClock.now();

  async function look(): Promise<void> {
    const found = await nameListings(root, signal);
    const isNew = found === undefined || found !== last;
    const isDue = systemClock.now() - refreshedAt >= afterTrouble && hasTrouble(refresher.state());
    last = found;
    if (signal.aborted || !(isNew || isDue)) return;
    await refresher.refresh();
    refreshedAt = systemClock.now();
  }

  function wait(): void {
    if (!signal.aborted) cancel = systemClock.after(interval, () => void look().finally(wait));
  }

  wait();
  return () => {
    abort.abort();
    cancel();
  };
}

/** One name for all listings of the site; undefined when they may have changed unseen. */
async function nameListings(root: URL, signal: AbortSignal): Promise<string | undefined> {
  const asked = [...siteAt(root).listings.values()].map((name) => name(signal).catch(nameOutage));
  const names = await Promise.all(asked);
  return names.includes(undefined) ? undefined : names.join('\n');
}

/** The same for as long as an outage goes on, whichever request meets it. */
function nameOutage(error: unknown): string {
  return ArticlesError.is(error) ? error.code : String(error);
}

function hasTrouble({ ok, reports }: Refreshed): boolean {
  // What else a load warns of is of the site's own making.
  const isOurs = ({ kind }: Warning) => kind !== 'other';
  return !ok || reports.some(({ warnings }) => warnings.some(isOurs));
}
