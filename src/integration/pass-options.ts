import { siteAt } from '../content/site-state.ts';
import type { ArticlesOptions } from '../options/options.ts';

/**
 * Passes the options to the loaders.
 *
 * @returns a Vite plugin that adds Vite's mode and the folder of the .env files
 */
export function passOptions(
  root: URL,
  { command, ...rest }: { options: ArticlesOptions; command: string; redirects: boolean },
) {
  const isDev = command === 'dev';
  const settings = { ...rest, command: isDev ? ('dev' as const) : ('build' as const) };
  siteAt(root).integration = { ...settings, mode: isDev ? 'development' : 'production' };
  return {
    name: 'astro-articles:mode',
    configResolved({ mode, envDir }: { mode: string; envDir: string | false }) {
      siteAt(root).integration = { ...settings, mode, envDir: envDir || undefined };
    },
  };
}
