import pLimit from 'p-limit';
import { clientLimits, createArticlesClient } from '../../src/client/client.ts';
import { commit } from '../../src/load/commit.ts';
import type { Fate } from '../../src/load/fate.ts';
import { fetchAndRender } from '../../src/load/fetch.ts';
import { list } from '../../src/load/list.ts';
import type { Load } from '../../src/load/load.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import { resolveOptions } from '../../src/options/resolve-options.ts';

/** Syncs into a new mirror, without Astro and without rendering, and prints the duration in milliseconds. */
const {
  folder,
  ...loader
}: { folder: string; baseUrl: string; apiKey: string; concurrency: number } = JSON.parse(
  process.argv[2] ?? '',
);
const started = performance.now();
const options = resolveOptions({ loader, integration: {}, environment: {}, command: 'build' });
const { baseUrl } = options;
const mirror = openMirror({ parent: folder, collection: 'articles', baseUrl });
const renderer = {
  render: async () => ({ html: [], metadata: {}, images: [], dropped: [] }),
  queue: pLimit(Number.POSITIVE_INFINITY),
};
const load: Load = {
  collection: 'articles',
  mirror: { ...mirror, writeText: () => `${'0'.repeat(32)}-${'0'.repeat(32)}` },
  options,
  client: createArticlesClient(options),
  renderer: renderer as unknown as Load['renderer'],
  imageHosts: [],
  sourceHash: '0'.repeat(8),
  before: new Map(),
  paths: new Map(),
  unlisted: new Set(),
  gone: new Set(),
  idsWithOldUrls: new Set(),
  call: { signal: new AbortController().signal, deadline: started + clientLimits.totalTimeout },
  astro: { isDev: false } as Load['astro'],
  onProgress: () => undefined,
};
const listing = await list(load);
const { versions } = await fetchAndRender(listing.rows, load);
const fates = new Map([...versions.keys()].map((id): [string, Fate] => [id, { is: 'shown' }]));
const nothing = { entries: new Map(), images: new Map(), unlisted: [], gone: [] };
commit({ fates, versions, ...nothing, older: 0, load });
console.log(JSON.stringify({ duration: performance.now() - started }));
