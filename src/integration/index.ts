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
import { writeAddresses, writeRedirects } from './redirects.ts';
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
        const { redirects } = siteOptions;
        const handover = passOptions(config.root, { options, command, redirects });
        updateConfig({ vite: { plugins: [handover] } });
        if (command !== 'dev') return;
        updateConfig({ vite: { plugins: [waitForPreviousServer(config.root)] } });
        setup.addDevToolbarApp(toolbarApp);
        if (isRestart) server.willRestart();
      },

      'astro:config:done': ({ config }) => {
        site = config;
      },

      // Not in `astro:config:setup`, because the command line runs that hook to read the options.
      'astro:build:start': ({ logger }) => {
        checkSharp(site, loaderOptions);
        adviseOnBodies(site, { options: loaderOptions, logger });
      },

      'astro:server:setup': (setup) => server.start(site.root, setup),

      'astro:server:done': () => server.stop(),

      'astro:build:done': async ({ dir, pages, logger }) => {
        warnOfNoCollection(site.root, logger);
        if (siteOptions.redirects) await keepAddresses(site, { dir, pages, logger });
        const { outDir, build } = site;
        const folders = [outDir, build.client, build.server, dir].map((url) => fileURLToPath(url));
        const keys = [...siteAt(site.root).keys, ...keysInSettings(site.root, loaderOptions)];
        await scanForKeys(folders, keys);
      },
    },
  };
}

/** Redirects the former addresses of articles, and publishes which those are for builds without a mirror. */
async function keepAddresses(
  site: AstroConfig,
  { dir, pages, logger }: Pick<HookParameters<'astro:build:done'>, 'dir' | 'pages' | 'logger'>,
): Promise<void> {
  const { addresses } = siteAt(site.root);
  if (addresses.size === 0) return;
  const articles = [...addresses.values()].flatMap((collection) => collection.articles);
  const adapter = site.adapter?.name;
  const redirects = await writeRedirects(articles, { dir, pages, config: site, adapter });
  const history = new Map([...addresses].map(([name, { history }]) => [name, history]));
  await writeAddresses(history, dir);
  if (redirects.length > 0) {
    const addressesText = redirects.length === 1 ? 'address leads' : 'addresses lead';
    logger.info(`${redirects.length} former ${addressesText} to the current page of the article.`);
  }
}

/** Passes the options to the loaders, with Vite's mode and folder of .env files, which Vite alone knows. */
function passOptions(
  root: URL,
  { command, ...given }: { options: ArticlesOptions; command: string; redirects: boolean },
) {
  const isDev = command === 'dev';
  const handover = { ...given, command: isDev ? ('dev' as const) : ('build' as const) };
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
