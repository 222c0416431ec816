import { forgetCollection, siteAt } from '../../content/site-state.ts';
import { messageOf } from '../../errors.ts';
import type { LoadReport } from '../../report/load-report.ts';
import { sleep, systemClock } from '../../shared/clock.ts';
import type { LoadProgress } from '../../sync/pipeline.ts';

/** The state of the site's collections. */
export interface RefreshState {
  isBusy: boolean;
  /** The progress of the current load. */
  progress?: LoadProgress | undefined;
  /** Why the last load failed, or why the service was unavailable. */
  error?: string | undefined;
  reports: LoadReport[];
}

/** Loads the articles of a running dev server again. */
export interface Refresher {
  /** Loads the articles. Never rejects. Calls during a load share one load that starts after it. */
  refresh(): Promise<RefreshState>;
  state(): RefreshState;
  /** Adds a listener that is called when a load begins, several times while it runs, and when it ends. */
  onChange(listener: (state: RefreshState) => void): void;
  /** Stops waiting for Astro and calling listeners, because another server has taken over. */
  close(): void;
}

/** The time limit in milliseconds for Astro to read the content config. */
const configTimeout = 10_000;
const retryAfter = 100;
const minProgressInterval = 200;

/**
 * Creates the refresher of a dev server.
 *
 * @param load makes Astro call the loaders. It has no effect while Astro reads the content config.
 */
export function createRefresher(root: URL, load: () => Promise<void>): Refresher {
  const site = siteAt(root);
  const listeners: ((state: RefreshState) => void)[] = [];
  const closed = new AbortController();
  let current: Promise<RefreshState> | undefined;
  let next: Promise<RefreshState> | undefined;
  let progress: LoadProgress | undefined;
  let failure: string | undefined;

  function state(): RefreshState {
    const reports = [...site.reports.values()];
    const error = failure ?? reports.find((report) => report.error)?.error;
    return {
      isBusy: current !== undefined,
      reports,
      progress,
      error,
    };
  }

  function notify(): void {
    for (const listener of listeners) listener(state());
  }

  function reportProgress(): void {
    let last = 0;
    site.onProgress = (change) => {
      if (systemClock.now() - last < minProgressInterval) return;
      last = systemClock.now();
      progress = { ...change };
      notify();
    };
  }

  async function run(): Promise<RefreshState> {
    // `current` has to be set before listeners are called.
    await Promise.resolve();
    const before = new Map(site.reports);
    reportProgress();
    notify();
    failure = await loadWhenReady().then(() => undefined, messageOf);
    current = undefined;
    progress = undefined;
    site.onProgress = undefined;
    if (failure === undefined) forgetUnchanged(before);
    notify();
    return state();
  }

  /** Removes collections without a new report: they were not loaded, so they are no longer part of the site. */
  function forgetUnchanged(before: ReadonlyMap<string, LoadReport>): void {
    for (const [name, report] of before) {
      if (site.reports.get(name) === report) forgetCollection(root, name);
    }
  }

  async function loadWhenReady(): Promise<void> {
    const before = site.loads;
    const deadline = systemClock.now() + configTimeout;
    for (;;) {
      closed.signal.throwIfAborted();
      await load();
      if (site.loads !== before) return;
      if (systemClock.now() > deadline) {
        throw new Error('Astro did not read src/content.config within 10 seconds.');
      }
      await sleep(systemClock, retryAfter, closed.signal);
    }
  }

  function refresh(): Promise<RefreshState> {
    if (!current) {
      current = run();
      return current;
    }
    next ??= current.then(() => {
      next = undefined;
      return refresh();
    });
    return next;
  }

  return {
    refresh,
    state,
    onChange: (listener) => void listeners.push(listener),
    close() {
      listeners.length = 0;
      closed.abort(new Error('The dev server has restarted.'));
    },
  };
}
