import type { AstroIntegration } from 'astro';
import { handOver } from '../handover.ts';
import { loaderName } from '../loader.ts';
import { type ArticlesOptions, parseOptions } from '../options.ts';

/**
 * The Astro integration: gives its options to every `articlesLoader()` of the site.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export default function articles(given?: ArticlesOptions): AstroIntegration {
  const options = parseOptions(given, 'articles()');
  let restarted = false;

  return {
    name: loaderName,
    hooks: {
      'astro:config:setup': ({ config, command, isRestart, updateConfig }) => {
        const { root } = config;
        const side = command === 'dev' ? 'dev' : 'build';
        restarted = isRestart;
        handOver(root, {
          options,
          command: side,
          mode: side === 'dev' ? 'development' : 'production',
        });
        const plugin = {
          name: 'astro-articles:mode',
          // Only Vite knows which .env.[mode] files count.
          configResolved: ({ mode }: { mode: string }) =>
            handOver(root, { options, command: side, mode }),
        };
        updateConfig({ vite: { plugins: [plugin] } });
      },

      'astro:server:setup': async ({ refreshContent, logger }) => {
        // After a change of astro.config Astro restarts, but does not call its loaders again.
        if (!restarted || !refreshContent) return;
        restarted = false;
        refreshContent({ loaders: [loaderName] }).catch((error) => {
          logger.error(`The articles could not be refreshed: ${error.message}`);
        });
      },
    },
  };
}
