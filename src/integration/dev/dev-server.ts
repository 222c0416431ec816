import type { HookParameters } from 'astro';
import { loaderName } from '../../content/loader.ts';
import { siteAt } from '../../content/site-state.ts';
import { refreshSecret, type SiteOptions } from '../integration-options.ts';
import { createEndpoint } from './endpoint.ts';
import { poll } from './poll.ts';
import { createRefresher, type Refresher } from './refresher.ts';
import { connectToolbar } from './toolbar-server.ts';

/** Keeps the articles of a dev server up to date, also when Astro or Vite restart it. */
export function createDevServer(siteOptions: SiteOptions) {
  let isRestarted = false;
  let refresher: Refresher | undefined;
  let stopPolling = () => {};

  function stop(): void {
    refresher?.close();
    stopPolling();
  }

  function start(
    root: URL,
    { server, toolbar, refreshContent, logger }: HookParameters<'astro:server:setup'>,
  ): void {
    if (!refreshContent) return;
    stop();
    refresher = createRefresher(root, () => refreshContent({ loaders: [loaderName] }));
    refresher.onChange(({ isBusy, error }) => {
      if (error && !isBusy) logger.error(`The articles could not be refreshed: ${error}`);
    });
    const secret = refreshSecret(root, siteOptions);
    server.middlewares.use(createEndpoint({ refresher, secret }));
    connectToolbar(toolbar, refresher);
    const { interval } = siteOptions.refresh;
    if (interval) stopPolling = poll(root, refresher, interval);
    // After a change of astro.config or .env, Astro and Vite restart the server without calling the loaders.
    if (isRestarted && siteAt(root).loads > 0) void refresher.refresh();
    isRestarted = true;
  }

  return {
    start,
    stop,
    willRestart() {
      isRestarted = true;
    },
  };
}
