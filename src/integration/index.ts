import { fileURLToPath } from 'node:url';
import type { AstroConfig, AstroIntegration } from 'astro';
import { loaderName } from '../content/loader.ts';
import { type IntegrationSettings, siteAt } from '../content/site-state.ts';
import { checkAssetLinks } from './asset-links.ts';
import { createDevServer } from './dev/dev-server.ts';
import { redirectFormerSlugs, sharePublished } from './former-slugs.ts';
import {
  type ArticlesIntegrationOptions,
  keysInSettings,
  parseIntegrationOptions,
} from './integration-options.ts';
import { scanForKeys } from './key-scan.ts';
import { checkOutput, checkPrerenderer, checkSharp, type Prerendering } from './site-checks.ts';

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
export default function articles(options?: ArticlesIntegrationOptions): AstroIntegration {
  const { loaderOptions, siteOptions } = parseIntegrationOptions(options);
  const server = createDevServer(siteOptions.refresh);
  let site: AstroConfig;
  let hasServer = () => false;

  return {
    name: loaderName,
    hooks: {
      'astro:config:setup': ({ config, command, updateConfig, ...setup }) => {
        const isDev = command === 'dev';
        const settings: IntegrationSettings = {
          options: loaderOptions,
          command: isDev ? 'dev' : 'build',
          mode: isDev ? 'development' : 'production',
        };
        siteAt(config.root).integration = settings;
        updateConfig({ vite: { plugins: [readViteConfig(config.root, settings)] } });
        if (isDev) setup.addDevToolbarApp(toolbarApp);
      },

      'astro:config:done': (done) => {
        site = done.config;
        // The adapter may set it later.
        hasServer = () => done.buildOutput === 'server';
        sharePublished(site, siteOptions, done.logger);
      },

      // Not in `astro:config:setup`, because the command line runs that hook to read the options.
      'astro:build:start': () => checkSharp(site, loaderOptions),

      'astro:server:setup': (setup) => server.start(site.root, setup),

      'astro:server:done': () => server.stop(),

      'astro:build:done': async ({ dir, pages, logger }) => {
        const output = { dir, pages, logger, hasServer: hasServer() };
        checkOutput(site, output);
        if (siteOptions.redirects) await redirectFormerSlugs(site, output);
        const { outDir, build, base, experimental } = site;
        // Astro 6 has no incremental builds.
        if (Reflect.get(experimental, 'incrementalBuild') && !build.assetsPrefix) {
          checkAssetLinks(dir, { base, assets: build.assets });
        }
        const folders = [outDir, build.client, build.server, dir].map((url) => fileURLToPath(url));
        const keys = [...siteAt(site.root).keys, ...keysInSettings(site.root, loaderOptions)];
        // Cloudflare's tools copy local variables to it, for `wrangler dev`, and never upload it.
        const local = fileURLToPath(new URL('.dev.vars', build.server));
        scanForKeys(folders, keys, site.adapter?.name === '@astrojs/cloudflare' ? [local] : []);
      },
    },
  };
}

/**
 * Returns a Vite plugin that adds Vite's mode and the folder of the .env files, which Astro does not pass. Before
 * pages are rendered, it checks that they can read the texts of articles.
 */
function readViteConfig(root: URL, settings: IntegrationSettings) {
  return {
    name: 'astro-articles:config',
    configResolved(config: { mode: string; envDir: string | false } & Prerendering) {
      const { mode, envDir } = config;
      Object.assign(settings, { mode, envDir: envDir || undefined });
      checkPrerenderer(root, config);
    },
  };
}
