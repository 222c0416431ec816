import type { HookParameters } from 'astro';
import { loaderName } from '../../content/loader.ts';
import { siteAt } from '../../content/site-state.ts';
import { refreshSecret, type SiteOptions } from '../integration-options.ts';
import { createEndpoint } from './endpoint.ts';
import { openArticles } from './open-articles.ts';
import { createRefresher, type Refresher } from './refresher.ts';
import { messages } from './toolbar-app.ts';

/** Keeps the articles of a dev server up to date, also when Astro or Vite restart it. */
export function createDevServer(siteOptions: SiteOptions) {
  let refresher: Refresher | undefined;

  const stop = () => refresher?.close();

  function start(
    root: URL,
    { server, toolbar, refreshContent, logger }: HookParameters<'astro:server:setup'>,
  ): void {
    if (!refreshContent) return;
    stop();
    const context = { [loaderName]: 'refresh' };
    const load = () => refreshContent({ loaders: [loaderName], context });
    let printed: string | undefined;
    refresher = createRefresher(root, load, (state) => {
      const { isBusy, error, reports } = state;
      // A load that continued without the service has printed a warning.
      const isPrinted = reports.some(
        (report) => report.error === error && report.status !== 'failed',
      );
      if (!isBusy) {
        if (error && !isPrinted && error !== printed) {
          logger.error(`The articles could not be refreshed: ${error}`);
        }
        printed = error;
      }
      toolbar.send(messages.state, state);
    });
    const { refresh, state } = refresher;
    toolbar.on(messages.refresh, () => void refresh());
    toolbar.on<{ path: string }>(messages.request, ({ path }) => {
      toolbar.send(messages.page, { path, articles: openArticles(root, path) });
      toolbar.send(messages.state, state());
    });
    server.middlewares.use(createEndpoint(refresh, refreshSecret(root, siteOptions)));
    const { interval } = siteOptions.refresh;
    if (interval) void refresher.poll(interval);
    // After a change of astro.config or .env, Astro and Vite restart the server without calling the loaders.
    if (siteAt(root).loads > 0) void refresh();
  }

  return { start, stop };
}
