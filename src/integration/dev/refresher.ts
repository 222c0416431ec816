import { forgetCollection, siteAt } from '../../content/site-state.ts';
import { messageOf } from '../../errors.ts';
import type { LoadReport } from '../../report/load-report.ts';
import { sleep, systemClock } from '../../shared/clock.ts';

export interface RefreshState {
  isBusy: boolean;
  /** Why the last load failed, or why the service was unavailable. */
  error?: string | undefined;
  reports: LoadReport[];
}

/** The time limit in milliseconds for Astro to read the content config. */
const configTimeout = 10_000;
const retryAfter = 100;

export type Refresher = ReturnType<typeof createRefresher>;

/**
 * Creates the refresher of a dev server, which loads its articles again.
 *
 * @param load makes Astro call the loaders. It has no effect while Astro reads the content config.
 * @param onChange called when a load begins, and when it ends
 */
export function createRefresher(
  root: URL,
  load: () => Promise<void>,
  onChange: (state: RefreshState) => void = () => {},
) {
  const site = siteAt(root);
  const closed = new AbortController();
  let isBusy = false;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<RefreshState> | undefined;
  let failure: string | undefined;

  function state(): RefreshState {
    const reports = [...site.reports.values()];
    const error = failure ?? reports.find((report) => report.error)?.error;
    return { isBusy, reports, error };
  }

  function notify(): void {
    if (!closed.signal.aborted) onChange(state());
  }

  async function run(loadAll: () => Promise<void>): Promise<RefreshState> {
    isBusy = true;
    notify();
    failure = await loadAll().then(() => undefined, messageOf);
    isBusy = false;
    notify();
    return state();
  }

  /** Makes Astro load its collections. Those without a new report are no longer part of the site. */
  async function loadSite(): Promise<void> {
    const before = new Map(site.reports);
    await loadWhenReady();
    for (const [name, report] of before) {
      if (site.reports.get(name) === report) forgetCollection(root, name);
    }
  }

  async function loadWhenReady(): Promise<void> {
    const before = site.loads;
    const deadline = systemClock.now() + configTimeout;
    while (systemClock.now() < deadline) {
      closed.signal.throwIfAborted();
      await load();
      if (site.loads !== before) return;
      await sleep(systemClock, retryAfter, closed.signal);
    }
    throw new Error('Astro did not read src/content.config within 10 seconds.');
  }

  /** Loads the articles. Never rejects. Calls before a load starts share it. */
  function refresh(): Promise<RefreshState> {
    next ??= last.then(() => {
      next = undefined;
      return run(loadSite);
    });
    last = next;
    return next;
  }

  /** Loads the articles without Astro, which would print two lines each time. */
  async function reload(): Promise<void> {
    for (const each of site.reloads.values()) await each();
  }

  /** Reloads every `interval` ms, counted from the end of the last load, until `close()` is called. */
  async function poll(interval: number): Promise<void> {
    const { signal } = closed;
    while (!signal.aborted) {
      await sleep(systemClock, interval, signal).catch(() => undefined);
      if (signal.aborted) return;
      last = last.then(() => run(reload));
      await last;
    }
  }

  return {
    refresh,
    poll,
    state,
    /** Stops waiting for Astro and calling `onChange`, because another server has taken over. */
    close: () => closed.abort(new Error('The dev server has restarted.')),
  };
}
