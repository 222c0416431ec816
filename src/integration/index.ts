import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { loaderName } from '../content/loader.ts';
import { type Handover, siteAt } from '../content/site-state.ts';
import { createEndpoint } from './dev/endpoint.ts';
import { poll } from './dev/poll.ts';
import { createRefresher } from './dev/refresher.ts';
import { connectToolbar } from './dev/toolbar-server.ts';
import {
  type ArticlesIntegrationOptions,
  keysFor,
  parseIntegrationOptions,
  refreshOptions,
} from './integration-options.ts';
import { checkForKeys } from './key-scan.ts';

const toolbarApp = {
  id: loaderName,
  name: 'Articles',
  icon: 'file-search',
  entrypoint: new URL('./dev/toolbar-app.js', import.meta.url),
} as const;

/**
 * The Astro integration: gives its options to every `articlesLoader()` of the site, and ends a build
 * that would publish the API key.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export default function articles(given?: ArticlesIntegrationOptions): AstroIntegration {
  const { refresh, ...options } = parseIntegrationOptions(given);
  let restarted = false;
  let stopPolling = () => {};
  let root: URL;
  let output: URL[] = [];

  return {
    name: loaderName,
    hooks: {
      'astro:config:setup': ({ config, command, isRestart, updateConfig, addDevToolbarApp }) => {
        root = config.root;
        restarted = isRestart;
        const side = command === 'dev' ? 'dev' : 'build';
        const handOver = (vite: Pick<Handover, 'mode' | 'envDir'>) => {
          siteAt(config.root).handover = { options, command: side, ...vite };
        };
        handOver({ mode: side === 'dev' ? 'development' : 'production' });
        // Only Vite knows which .env files count.
        const configResolved = ({ mode, envDir }: { mode: string; envDir: string | false }) =>
          handOver({ mode, envDir: envDir || undefined });
        const mode = { name: `${loaderName}:mode`, configResolved };
        updateConfig({ vite: { plugins: [mode] } });
        if (command === 'dev') addDevToolbarApp(toolbarApp);
      },

      'astro:config:done': ({ config }) => {
        output = [config.outDir, config.build.client, config.build.server];
      },

      'astro:server:setup': ({ server, toolbar, refreshContent, logger }) => {
        if (!refreshContent) return;
        const refresher = createRefresher(root, () => refreshContent({ loaders: [loaderName] }));
        refresher.onChange(({ error }, stage) => {
          if (error && stage === 'ended')
            logger.error(`The articles could not be refreshed: ${error}`);
        });
        const { secret, interval } = refreshOptions(root, refresh);
        server.middlewares.use(createEndpoint({ root, refresher, secret }));
        connectToolbar(toolbar, { root, refresher });
        stopPolling();
        if (interval) stopPolling = poll(root, refresher, interval);
        // After a change of astro.config Astro starts its server anew, and after one of .env Vite does;
        // neither calls the loaders again.
        if (restarted) refresher.refresh();
        restarted = true;
      },

      'astro:server:done': () => stopPolling(),

      'astro:build:done': async ({ dir, logger }) => {
        const { loads, keys } = siteAt(root);
        if (loads === 0 && !hasLiveConfig(root)) {
          logger.warn(
            'No collection of this site was loaded from the service: src/content.config needs ' +
              "`import { articlesCollection } from 'astro-articles'`, and a collection made of it.",
          );
        }
        const folders = [...output, dir].map((folder) => fileURLToPath(folder));
        // Those of live collections, too, which no loader has read yet.
        await checkForKeys(folders, [...keys, ...keysFor(root, options)]);
      },
    },
  };
}

function hasLiveConfig(root: URL): boolean {
  return ['ts', 'mts', 'js', 'mjs'].some((end) =>
    existsSync(new URL(`src/live.config.${end}`, root)),
  );
}
