import type { HookParameters } from 'astro';
import { sleep, systemClock } from '../../shared/clock.ts';

type ViteDevServer = HookParameters<'astro:server:setup'>['server'];

const appReady = Symbol.for('astro.devServerAppReady');
const maxWait = 10_000;
const servers = new Map<string, ViteDevServer>();

/**
 * Makes a restarted dev server wait until the previous one is ready. An editor that writes .env in two steps
 * restarts Vite twice. In Astro 7.3.5, both servers share one load of the content config. It fails when the
 * first server closes ("Vite module runner has been closed"), and the content is not refreshed until the next
 * restart. Versions without the symbol do not wait.
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
