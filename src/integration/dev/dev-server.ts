import type { HookParameters } from 'astro';
import pLimit from 'p-limit';
import { loaderName } from '../../content/loader.ts';
import { forgetCollection, siteAt } from '../../content/site-state.ts';
import { messageOf } from '../../errors.ts';
import { sleep, systemClock } from '../../shared/clock.ts';
import { refreshSecret } from '../integration-options.ts';
import { createEndpoint } from './endpoint.ts';
import { messages, type RefreshState } from './toolbar-app.ts';

/** The time limit in milliseconds for Astro to read the content config. */
const configTimeout = 10_000;
const retryAfter = 100;

/**
 * Keeps the articles of a dev server up to date, one load after another, also when Astro or Vite restart it.
 *
 * @param interval milliseconds between two checks of the listing
 */
export function createDevServer(interval: number | undefined) {
  let stop = () => {};

  function start(
    root: URL,
    { server, toolbar, refreshContent, logger }: HookParameters<'astro:server:setup'>,
  ): void {
    stop();
    const closed = new AbortController();
    stop = () => closed.abort(new Error('The dev server has restarted.'));
    const site = siteAt(root);
    const oneByOne = pLimit(1);
    let isFirst = true;
    let isBusy = false;
    let failure: string | undefined;
    let next: Promise<RefreshState> | undefined;

    /** Sends the state to the toolbars of open pages. */
    function show(): RefreshState {
      const reports = [...site.reports.values()];
      const error = failure ?? reports.find((report) => report.error)?.error;
      const state = { isBusy, reports, error };
      if (!closed.signal.aborted) toolbar.send(messages.state, state);
      return state;
    }

    async function run(load: () => Promise<void>): Promise<RefreshState> {
      const former = failure;
      isBusy = true;
      show();
      failure = await load().then(() => undefined, messageOf);
      isBusy = false;
      if (failure && failure !== former && !closed.signal.aborted) {
        logger.error(`The articles could not be refreshed: ${failure}`);
      }
      return show();
    }

    /** Makes Astro load its collections. Those without a new report are no longer part of the site. */
    async function loadSite(): Promise<void> {
      next = undefined;
      const { loads } = site;
      const reports = new Map(site.reports);
      const deadline = systemClock.now() + configTimeout;
      // Astro 6 takes the first refresh for a change of its config and clears all collections, so it has to load all.
      const ours = { loaders: [loaderName], context: { [loaderName]: 'refresh' } };
      await refreshContent?.(isFirst ? {} : ours);
      // Until Astro has read the content config, a refresh has no effect.
      while (site.loads === loads) {
        if (systemClock.now() > deadline) {
          if (site.reloads.size > 0) return loadDirectly();
          throw new Error('Astro did not read src/content.config within 10 seconds.');
        }
        await sleep(systemClock, retryAfter, closed.signal);
        await refreshContent?.(isFirst ? {} : ours);
      }
      isFirst = false;
      for (const [name, report] of reports) {
        if (site.reports.get(name) === report) forgetCollection(root, name);
      }
    }

    /** Loads the articles without Astro, which prints two lines each time, and which may have failed to restart. */
    async function loadDirectly(): Promise<void> {
      for (const load of site.reloads.values()) await load();
    }

    /** Loads the articles. Never rejects. Calls before a load starts share it. */
    function refresh(): Promise<RefreshState> {
      next ??= oneByOne(run, loadSite);
      return next;
    }

    async function poll(pause: number): Promise<void> {
      for (;;) {
        await sleep(systemClock, pause, closed.signal);
        await oneByOne(run, loadDirectly);
      }
    }

    toolbar.on(messages.refresh, () => void refresh());
    toolbar.on(messages.request, () => void show());
    server.middlewares.use(createEndpoint(refresh, refreshSecret(root)));
    // It ends when the server stops.
    if (interval) poll(interval).catch(() => undefined);
    // After a change of astro.config or .env, Astro and Vite restart the server without calling the loaders.
    if (site.loads > 0) void refresh();
  }

  return { start, stop: () => stop() };
}
