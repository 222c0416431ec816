import type { HookParameters } from 'astro';
import { loaderName } from '../../content/loader.ts';
import { siteAt } from '../../content/site-state.ts';
import { refreshSecret, type SiteOptions } from '../integration-options.ts';
import { createEndpoint } from './endpoint.ts';
import { poll } from './poll.ts';
import { createRefresher, type Refresher } from './refresher.ts';
import { messages } from './toolbar-app.ts';

/** Keeps the articles of a dev server up to date, also when Astro or Vite restart it. */
export function createDevServer(siteOptions: SiteOptions) {
  let isRestarted = false;
  let refresher: Refresher | undefined;

  const stop = () => refresher?.close();

  function start(
    root: URL,
    { server, toolbar, refreshContent, logger }: HookParameters<'astro:server:setup'>,
  ): void {
    if (!refreshContent) return;
    stop();
    const load = () => refreshContent({ loaders: [loaderName] });
    refresher = createRefresher(root, load, (state) => {
      const { isBusy, error } = state;
      if (error && !isBusy) logger.error(`The articles could not be refreshed: ${error}`);
      toolbar.send(messages.state, state);
    });
    const { refresh, state } = refresher;
    toolbar.on(messages.refresh, () => void refresh());
    toolbar.on(messages.request, () => toolbar.send(messages.state, state()));
    server.middlewares.use(createEndpoint(refresh, refreshSecret(root, siteOptions)));
    const { interval } = siteOptions.refresh;
    if (interval) void poll(root, refresher, interval);
    // After a change of astro.config or .env, Astro and Vite restart the server without calling the loaders.
    if (isRestarted && siteAt(root).loads > 0) void refresh();
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
