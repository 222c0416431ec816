import type { HookParameters } from 'astro';
import { sleep, systemClock } from '../../shared/clock.ts';

type ViteDevServer = HookParameters<'astro:server:setup'>['server'];

const appReady = Symbol.for('astro.devServerAppReady');
const maxWait = 10_000;
const servers = new Map<string, ViteDevServer>();

/**
 * Makes a restarted dev server wait until the one before it is ready. Writing .env in two steps restarts
 * Vite twice, and Astro 7.3.5 lets both servers share one load of the content config: with the first
 * server closed, that load fails ("Vite module runner has been closed"), and the content is not refreshed
 * until the next restart. Other versions do not have the symbol, and nothing waits.
 */
export function waitForPreviousServer(root: URL) {
  return {
    name: 'astro-articles:restart',
    enforce: 'pre' as const,
    async configureServer(server: ViteDevServer) {
      const previous = servers.get(root.href);
      servers.set(root.href, server);
      if (!previous) return;
      await Promise.race([Reflect.get(previous, appReady), sleep(systemClock, maxWait)]);
    },
  };
}
