import { fileURLToPath } from 'node:url';
import type { AstroConfig, AstroIntegration, IntegrationResolvedRoute } from 'astro';
import { readSite } from '../content/fingerprint.ts';
import { findPackages } from '../content/installed-packages.ts';
import {
  environmentPlace,
  type IntegrationSettings,
  loaderName,
  siteAt,
} from '../content/site-state.ts';
import { ArticlesOptionsError } from '../errors.ts';
import { readEnvironment } from '../options/environment.ts';
import { readFlags } from '../options/resolve-options.ts';
import { startDevServer } from './dev/dev-server.ts';
import { redirectFormerPaths } from './former-paths.ts';
import {
  type ArticlesIntegrationOptions,
  parseIntegrationOptions,
  refreshSecret,
} from './integration-options.ts';
import { scanForKeys } from './key-scan.ts';
import { checkOnDemand, checkPaths, checkSlugs } from './site-checks.ts';

/** The path of the module of `getArticles()`, as Vite writes it. */
const contentReader = fileURLToPath(
  new URL('../content/get-articles.js', import.meta.url),
).replaceAll('\\', '/');

/** The integration of `start.ts`, which has its description. */
export default function articles(options?: ArticlesIntegrationOptions): AstroIntegration {
  const { loaderOptions, siteOptions } = parseIntegrationOptions(options);
  let site: AstroConfig;
  let routes: IntegrationResolvedRoute[] = [];

  return {
    name: loaderName,
    hooks: {
      'astro:config:setup': ({ config, command, updateConfig, addDevToolbarApp }) => {
        checkOnlyOne(config.integrations);
        const settings: IntegrationSettings = {
          options: loaderOptions,
          redirects: siteOptions.redirects,
          mode: command === 'dev' ? 'development' : 'production',
        };
        siteAt(config.root).integration = settings;
        const vitePlugin = {
          name: loaderName,
          // Astro passes neither Vite's mode nor the folder of the .env files.
          configResolved({ mode, envDir }: { mode: string; envDir: string | false }) {
            Object.assign(settings, { mode, envDir: envDir || undefined });
          },
          // Astro 6 and 7 keep old content in a dev server if it is only imported on demand (bench/upstream).
          transform: (code: string, id: string) =>
            command === 'dev' && id.split('?')[0] === contentReader
              ? { code: `import 'astro:content';\n${code}`, map: null }
              : undefined,
        };
        // Astro compiles only the packages that the package.json of the site lists.
        const resolve = { noExternal: [loaderName] };
        updateConfig({ vite: { plugins: [vitePlugin], resolve } });
        if (command !== 'dev') return;
        const entrypoint = new URL('./dev/toolbar-app.js', import.meta.url);
        addDevToolbarApp({ id: loaderName, name: 'Articles', icon: 'file-search', entrypoint });
      },

      'astro:config:done': ({ config }) => {
        site = config;
      },

      'astro:routes:resolved': (resolved) => {
        routes = resolved.routes.flatMap((route) => [route, ...(route.fallbackRoutes ?? [])]);
      },

      'astro:server:setup': (setup) => {
        // Before the code can be edited, because Astro keeps the Markdown plugins of its start.
        readSite(site, findPackages(site));
        const secret = refreshSecret(readEnvironment(environmentPlace(site.root)).variables);
        startDevServer(site.root, { interval: siteOptions.refresh, secret }, setup);
      },

      'astro:server:done': () => siteAt(site.root).stopServer(),

      'astro:build:done': async ({ dir, pages, logger }) => {
        const output = { dir, pages, routes, logger };
        const { slugs, keys: loadKeys } = siteAt(site.root);
        checkSlugs(slugs, output);
        checkPaths(slugs, output);
        checkOnDemand(slugs, output);
        const { outDir, build } = site;
        const folders = [outDir, build.client, build.server, dir].map((url) => fileURLToPath(url));
        const { variables } = readEnvironment(environmentPlace(site.root));
        // Live collections may use keys that no load of the build has used.
        const ownKeys = [loaderOptions.apiKey, variables.ARTICLES_API_KEY];
        const keys = [...loadKeys, ...ownKeys.flatMap((each) => each?.trim() || [])];
        // Cloudflare's tools copy local variables to it, for `wrangler dev`, and never upload it.
        const local = fileURLToPath(new URL('.dev.vars', build.server));
        scanForKeys(folders, keys, site.adapter?.name === '@astrojs/cloudflare' ? [local] : []);
        // A build that fails publishes nothing, so it adds nothing to the history.
        await redirectFormerPaths(site, output, readFlags(variables));
      },
    },
  };
}

/** @throws {ArticlesOptionsError} for several integrations of this package, of which the last one would win */
function checkOnlyOne(integrations: readonly AstroIntegration[]): void {
  if (integrations.filter(({ name }) => name === loaderName).length < 2) return;
  const message =
    'astro.config has articles() more than once, so the options of only one would apply.';
  const hint =
    'Keep one. Options of a single collection, such as the `baseUrl` and `apiKey` of a second service, belong in its ' +
    '`articlesLoader({ … })` in the content config.';
  throw new ArticlesOptionsError('invalid-options', message, { hint });
}
