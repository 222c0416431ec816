import { createArticlesClient } from '../../src/client/index.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';
import { commitLoad } from '../../src/sync/commit.ts';
import { loadArticles } from '../../src/sync/pipeline.ts';

/** Syncs into a new mirror without Astro, and prints the duration in milliseconds. */
const {
  folder,
  ...loader
}: { folder: string; baseUrl: string; apiKey: string; concurrency: number } = JSON.parse(
  process.argv[2] ?? '',
);
const started = performance.now();
const options = resolveOptions({ loader, integration: {}, environment: {}, command: 'build' });
const client = createArticlesClient(options);
const place = { parent: folder, cacheFolder: folder, collection: 'articles' };
const mirror = await openMirror({ ...place, source: options.baseUrl });
const load = { mirror, options, client };
await commitLoad(await loadArticles(load), load);
console.log(JSON.stringify({ duration: performance.now() - started }));
