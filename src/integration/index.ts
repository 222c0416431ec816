import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { platform, sleep } from '../client/world.ts';
import { type Handover, siteAt } from '../handover.ts';
import { loaderName } from '../loader.ts';
import { type ArticlesOptions, parseOptions } from '../options.ts';
import { checkForKeys } from './leaks.ts';

const readyWithin = 10_000;
const askAgainAfter = 100;

/**
 * The Astro integration: gives its options to every `articlesLoader()` of the site, and ends a build
 * that would publish the API key.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export default function articles(given?: ArticlesOptions): AstroIntegration {
  const options = parseOptions(given, 'articles()');
  let restarted = false;
  let refresh: (() => void) | undefined;
  let root: URL;
  let output: URL[] = [];

  return {
    name: loaderName,
    hooks: {
      'astro:config:setup': ({ config, command, isRestart, updateConfig }) => {
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
        // Vite starts its server anew, by itself, when an .env file was edited.
        const configureServer = () => refresh?.();
        const plugin = { name: `${loaderName}:mode`, configResolved, configureServer };
        updateConfig({ vite: { plugins: [plugin] } });
      },

      'astro:config:done': ({ config }) => {
        output = [config.outDir, config.build.client, config.build.server];
      },

      'astro:server:setup': ({ refreshContent, logger }) => {
        if (!refreshContent) return;
        const load = () => refreshContent({ loaders: [loaderName] });
        refresh = () => {
          refreshWhenReady(load, siteAt(root)).catch((error) => {
            logger.error(`The articles could not be refreshed: ${error.message}`);
          });
        };
        // After a change of astro.config Astro restarts, but does not call its loaders again.
        if (restarted) refresh();
        restarted = false;
      },

      'astro:build:done': async ({ dir, logger }) => {
        if (siteAt(root).loads === 0) {
          logger.warn(
            'No collection of this site was loaded from the service: src/content.config needs ' +
              "`import { articlesCollection } from 'astro-articles'`, and a collection made of it.",
          );
        }
        const folders = [...output, dir].map((folder) => fileURLToPath(folder));
        await checkForKeys(folders, siteAt(root).keys);
      },
    },
  };
}

/** Astro refreshes nothing, and does not say so, while it still reads the content config again. */
async function refreshWhenReady(
  refresh: () => Promise<void>,
  site: { loads: number },
): Promise<void> {
  const before = site.loads;
  const deadline = platform.now() + readyWithin;
  while (site.loads === before && platform.now() < deadline) {
    await refresh();
    await sleep(platform, askAgainAfter);
  }
  if (site.loads === before) throw new Error('Astro did not read its content config again.');
}
