import { siteAt } from '../content/site-state.ts';
import type { ArticlesOptions } from '../options/options.ts';

/** Passes the options to the loaders, with Vite's mode and folder of .env files, which Vite alone knows. */
export function passOptions(
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
