import { forgetCollection, siteAt } from '../../content/site-state.ts';
import type { LoadReport } from '../../report/load-report.ts';
import { sleep, systemClock } from '../../shared/clock.ts';
import type { SyncProgress } from '../../sync/sync.ts';

/** How a refresh went. */
export interface Refreshed {
  /** Whether every collection is what the service has now. */
  ok: boolean;
  /** Why not. */
  error?: string;
  reports: LoadReport[];
  /** How far it is, while it is under way. */
  progress?: SyncProgress;
}

export type Listener = (
  state: Refreshed,
  stage: 'begun' | 'under way' | 'ended',
) => void | Promise<void>;

/** Loads the articles of a running dev server again. */
export interface Refresher {
  /** Never rejects. Whoever asks during a load shares the one that follows it. */
  refresh(): Promise<Refreshed>;
  readonly isBusy: boolean;
  /** Calls back when a load begins, now and then while it goes on, and when it has ended. */
  onChange(listener: Listener): void;
  /** What the last loads found, whoever asked for them. */
  state(): Refreshed;
}

const readyWithin = 10_000;
const askAgainAfter = 100;
const tellAgainAfter = 200;

/** @param load asks Astro to call the loaders again; it may do nothing, without saying so */
export function createRefresher(root: URL, load: () => Promise<void>): Refresher {
  const listeners: Listener[] = [];
  const tell: Listener = (...news) => {
    for (const listener of listeners) void listener(...news);
  };
  let current: Promise<Refreshed> | undefined;
  let next: Promise<Refreshed> | undefined;
  let error: string | undefined;

  function state(): Refreshed {
    const reports = [...siteAt(root).reports.values()];
    const fault = error ?? reports.find((report) => report.error)?.error;
    return { ok: fault === undefined, ...(fault === undefined ? {} : { error: fault }), reports };
  }

  /** Passes on how far a load is, but not for each of thousands of articles. */
  function watchProgress(): void {
    let last = 0;
    siteAt(root).onProgress = (progress) => {
      if (systemClock.now() - last < tellAgainAfter) return;
      last = systemClock.now();
      tell({ ...state(), progress: { ...progress } }, 'under way');
    };
  }

  async function run(): Promise<Refreshed> {
    // Whoever is told that it has begun is to find it under way.
    await Promise.resolve();
    const began = systemClock.date();
    watchProgress();
    tell(state(), 'begun');
    error = await loadWhenReady(root, load).then(
      () => undefined,
      (reason) => (reason instanceof Error ? reason.message : String(reason)),
    );
    current = undefined;
    delete siteAt(root).onProgress;
    if (error === undefined) forgetBefore(began);
    tell(state(), 'ended');
    return state();
  }

  /** A collection that was not loaded this time is no longer one of the site. */
  function forgetBefore(date: number): void {
    for (const [name, { at }] of siteAt(root).reports) {
      if (at < date) forgetCollection(root, name);
    }
  }

  function refresh(): Promise<Refreshed> {
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
    get isBusy() {
      return current !== undefined;
    },
  };
}

/** Astro refreshes nothing, and does not say so, while it still reads the content config again. */
async function loadWhenReady(root: URL, load: () => Promise<void>): Promise<void> {
  const site = siteAt(root);
  const before = site.loads;
  const deadline = systemClock.now() + readyWithin;
  while (site.loads === before && systemClock.now() < deadline) {
    await load();
    if (site.loads === before) await sleep(systemClock, askAgainAfter);
  }
  if (site.loads === before) throw new Error('Astro did not read its content config again.');
}
