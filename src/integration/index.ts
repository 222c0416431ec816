import { fileURLToPath } from 'node:url';
import type { AstroConfig, AstroIntegration, HookParameters } from 'astro';
import { loaderName } from '../content/loader.ts';
import { type IntegrationSettings, siteAt } from '../content/site-state.ts';
import { createDevServer } from './dev/dev-server.ts';
import { waitForPreviousServer } from './dev/restart.ts';
import {
  type ArticlesIntegrationOptions,
  keysInSettings,
  parseIntegrationOptions,
} from './integration-options.ts';
import { scanForKeys } from './key-scan.ts';
import { writeHistory, writeRedirects } from './redirect-files.ts';
import { adviseOnBodies, checkBodies, checkCollections, checkSharp } from './site-checks.ts';

const toolbarApp = {
  id: loaderName,
  name: 'Articles',
  icon: 'file-search',
  entrypoint: new URL('./dev/toolbar-app.js', import.meta.url),
} as const;

/** Prevents Astro's cache from storing a response that was rendered before a purge. */
const cacheMiddleware = {
  order: 'pre',
  entrypoint: new URL('../webhook/cache-middleware.js', import.meta.url),
} as const;

/**
 * The Astro integration. It passes its options to every `articlesLoader()` of the site, refreshes the
 * articles of a dev server, and fails a build that would publish the API key.
 *
 * @throws {ArticlesOptionsError} listing every option that is unknown or invalid
 */
export default function articles(options?: ArticlesIntegrationOptions): AstroIntegration {
  const { loaderOptions, siteOptions } = parseIntegrationOptions(options);
  const server = createDevServer(siteOptions);
  let site: AstroConfig;

  return {
    name: loaderName,
    hooks: {
      'astro:config:setup': ({ config, command, isRestart, updateConfig, ...setup }) => {
        const isDev = command === 'dev';
        const settings: IntegrationSettings = {
          options: loaderOptions,
          redirects: siteOptions.redirects,
          command: isDev ? 'dev' : 'build',
          mode: isDev ? 'development' : 'production',
        };
        siteAt(config.root).integration = settings;
        updateConfig({ vite: { plugins: [readMode(settings)] } });
        if ('cache' in config && config.cache) setup.addMiddleware(cacheMiddleware);
        if (!isDev) return;
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
        checkCollections(site.root, logger);
        checkBodies(site, logger);
        if (siteOptions.redirects) await redirectFormerSlugs(site, { dir, pages, logger });
        const { outDir, build } = site;
        const folders = [outDir, build.client, build.server, dir].map((url) => fileURLToPath(url));
        const keys = [...siteAt(site.root).keys, ...keysInSettings(site.root, loaderOptions)];
        scanForKeys(folders, keys);
      },
    },
  };
}

/** Returns a Vite plugin that adds Vite's mode and the folder of the .env files, which Astro does not pass. */
function readMode(settings: IntegrationSettings) {
  return {
    name: 'astro-articles:mode',
    configResolved({ mode, envDir }: { mode: string; envDir: string | false }) {
      Object.assign(settings, { mode, envDir: envDir || undefined });
    },
  };
}

/** Redirects the former URLs of articles, and publishes the history of slugs for builds without a mirror. */
async function redirectFormerSlugs(
  site: AstroConfig,
  { dir, pages, logger }: Pick<HookParameters<'astro:build:done'>, 'dir' | 'pages' | 'logger'>,
): Promise<void> {
  const { root } = site;
  const { slugs } = siteAt(root);
  if (slugs.size === 0) return;
  const articles = [...slugs.values()].flatMap((collection) => collection.articles);
  const built = { dir, pages, root, config: site, adapter: site.adapter?.name };
  const redirects = await writeRedirects(articles, built);
  await writeHistory(new Map([...slugs].map(([name, { history }]) => [name, history])), dir);
  if (redirects.length > 0) {
    const count = redirects.length === 1 ? '1 redirect' : `${redirects.length} redirects`;
    logger.info(`Wrote ${count} from former URLs of articles to their current pages.`);
  }
}
