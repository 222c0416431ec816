import { createArticlesClient } from '../../../src/client/index.ts';
import { openMirror } from '../../../src/mirror/mirror.ts';
import { resolveOptions } from '../../../src/options/resolve-options.ts';
import { sync } from '../../../src/sync/sync.ts';

/** Fills a mirror once, without Astro, and tells how many milliseconds that took. */
const {
  folder,
  ...loader
}: { folder: string; baseUrl: string; apiKey: string; concurrency: number } = JSON.parse(
  process.argv[2] ?? '',
);
const started = performance.now();
const options = resolveOptions({ loader, integration: {}, environment: {}, command: 'build' });
const client = createArticlesClient(options);
const mirror = await openMirror(folder, { source: options.baseUrl, date: Date.now });
await sync({ client, mirror, options });
console.log(JSON.stringify({ duration: performance.now() - started }));
