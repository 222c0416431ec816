import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AstroConfig, AstroIntegration, AstroIntegrationLogger, HookParameters } from 'astro';
import { loaderName } from '../content/loader.ts';
import { siteAt } from '../content/site-state.ts';
import type { ArticlesOptions } from '../options/options.ts';
import { createEndpoint } from './dev/endpoint.ts';
import { poll } from './dev/poll.ts';
import { createRefresher, type Refresher } from './dev/refresher.ts';
import { waitForPreviousServer } from './dev/restart.ts';
import { connectToolbar } from './dev/toolbar-server.ts';
import {
  type ArticlesIntegrationOptions,
  keysInSettings,
  parseIntegrationOptions,
  refreshSecret,
  type SiteOptions,
} from './integration-options.ts';
import { scanForKeys } from './key-scan.ts';
import { adviseOnBodies, checkSharp } from './site-checks.ts';

const toolbarApp = {
  id: loaderName,
  name: 'Articles',
  icon: 'file-search',
  entrypoint: new URL('./dev/toolbar-app.js', import.meta.url),
} as const;

/**
 * The Astro integration. It passes its options to every `articlesLoader()` of the site, refreshes the
 * articles of a dev server, and fails a build that would publish the API key.
 *
 * @throws {ArticlesOptionsError} listing every option that is unknown or invalid
 */
export default function articles(given?: ArticlesIntegrationOptions): AstroIntegration {
  const { loaderOptions, siteOptions } = parseIntegrationOptions(given);
  const server = createDevServer(siteOptions);
  let site: AstroConfig;

  return {
    name: loaderName,
    hooks: {
      'astro:config:setup': ({ config, command, isRestart, updateConfig, ...setup }) => {
        const options = loaderOptions;
        updateConfig({ vite: { plugins: [passOptions(config.root, { options, command })] } });
        if (command === 'build') checkSharp(config, options);
        if (command !== 'dev') return;
        updateConfig({ vite: { plugins: [waitForPreviousServer(config.root)] } });
        setup.addDevToolbarApp(toolbarApp);
        if (isRestart) server.willRestart();
      },

      'astro:config:done': ({ config }) => {
        site = config;
      },

      'astro:build:start': ({ logger }) => {
        adviseOnBodies(site, { options: loaderOptions, logger });
      },

      'astro:server:setup': (setup) => server.start(site.root, setup),

      'astro:server:done': () => server.stop(),

      'astro:build:done': async ({ dir, logger }) => {
        warnOfNoCollection(site.root, logger);
        const { outDir, build } = site;
        const folders = [outDir, build.client, build.server, dir].map((url) => fileURLToPath(url));
        const keys = [...siteAt(site.root).keys, ...keysInSettings(site.root, loaderOptions)];
        await scanForKeys(folders, keys);
      },
    },
  };
}

/** Passes the options to the loaders, with Vite's mode and folder of .env files, which Vite alone knows. */
function passOptions(
  root: URL,
  { options, command }: { options: ArticlesOptions; command: string },
) {
  const isDev = command === 'dev';
  const handover = { options, command: isDev ? ('dev' as const) : ('build' as const) };
  siteAt(root).handover = { ...handover, mode: isDev ? 'development' : 'production' };
  return {
    name: 'astro-articles:mode',
    configResolved({ mode, envDir }: { mode: string; envDir: string | false }) {
      siteAt(root).handover = { ...handover, mode, envDir: envDir || undefined };
    },
  };
}

/** Keeps the articles of a dev server up to date, also when Astro or Vite restart it. */
function createDevServer(siteOptions: SiteOptions) {
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
    // Neither Astro, after a change of its config, nor Vite, after one of .env, calls the loaders again.
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

function warnOfNoCollection(root: URL, logger: AstroIntegrationLogger): void {
  const hasLiveConfig = ['ts', 'mts', 'js', 'mjs'].some((extension) =>
    existsSync(new URL(`src/live.config.${extension}`, root)),
  );
  if (siteAt(root).loads > 0 || hasLiveConfig) return;
  logger.warn(
    'No collection of this site was loaded from the service. Define one in src/content.config.ts: ' +
      '`defineCollection(articlesCollection())`, with `articlesCollection` from astro-articles.',
  );
}
