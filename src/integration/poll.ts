import { platform } from '../client/world.ts';
import { siteAt } from '../handover.ts';
import type { Refreshed, Refresher } from './refresher.ts';

/** After a load that found something wrong, in ms: what is wrong may mend itself without a trace in the listing. */
const afterTrouble = 30_000;

/**
 * Asks what the service lists, again and again, each time `interval` ms after the last answer, and
 * refreshes when that has changed: a load writes to the terminal and to Astro's store even when it finds
 * nothing new.
 *
 * @returns ends it
 */
export function poll(root: URL, refresher: Refresher, interval: number | undefined): () => void {
  if (!interval) return () => undefined;
  let cancel = () => {};
  let stopped = false;
  let last: string | undefined;

  async function look(): Promise<void> {
    const found = await nameListings(root);
    const isNew = found === undefined || found !== last;
    last = found;
    if (!stopped && (isNew || isDue(refresher.state()))) await refresher.refresh();
    wait();
  }

  function wait(): void {
    if (!stopped) cancel = platform.after(interval ?? 0, () => void look());
  }

  wait();
  return () => {
    stopped = true;
    cancel();
  };
}

/** One name for all listings of the site; undefined when they may have changed unseen. */
async function nameListings(root: URL): Promise<string | undefined> {
  const asked = [...siteAt(root).listings.values()].map((name) =>
    name().catch((error) => String(error)),
  );
  const names = await Promise.all(asked);
  return names.includes(undefined) ? undefined : names.join('\n');
}

function isDue({ ok, reports }: Refreshed): boolean {
  const isTrouble = ({ warnings }: (typeof reports)[number]) =>
    warnings.some(({ kind }) => kind !== 'images' && kind !== 'other');
  const latest = Math.max(0, ...reports.map(({ at }) => at));
  return (!ok || reports.some(isTrouble)) && platform.date() - latest >= afterTrouble;
}
