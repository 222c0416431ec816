import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { downloadImages } from '../../src/images/download.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { imageKinds } from '../../src/shared/image-kinds.ts';

export interface ImagesResult {
  /** Milliseconds to download, verify and store all images. */
  store: number;
  /** Milliseconds to download all images with `fetch()`. */
  download: number;
  /** The size of all images. */
  bytes: number;
}

interface ImagesOptions {
  folder: string;
  origin: string;
  urls: string[];
}

/** Measures the image step of a load, and a plain download of the same images. */
const { folder, origin, urls }: ImagesOptions = JSON.parse(process.argv[2] ?? '');
const atOnce = 6;
const maxBytes = 20 * 2 ** 20;
const root = await mkdtemp(join(folder, 'images-'));
const mirror = openMirror({ parent: root, collection: 'articles', baseUrl: origin });
const download = await timed(downloadAll);
const store = await timed(storeAll);
const bytes = download.result.reduce((total, size) => total + size, 0);
await rm(root, { recursive: true });
console.log(
  JSON.stringify({
    store: store.duration,
    download: download.duration,
    bytes,
  } satisfies ImagesResult),
);

function downloadAll(): Promise<number[]> {
  const limit = pLimit(atOnce);
  const sizeOf = async (url: string) => (await (await fetch(url)).arrayBuffer()).byteLength;
  return Promise.all(urls.map((url) => limit(() => sizeOf(url))));
}

async function storeAll(): Promise<void> {
  const { problems } = await downloadImages(
    new Map(urls.map((url) => [url, { url, changed: false, isCurrent: true }])),
    {
      mirror,
      baseUrl: new URL(origin),
      maxBytes,
      kinds: imageKinds,
      allowedHosts: [],
      clock: systemClock,
      deadline: systemClock.now() + 600_000,
      signal: new AbortController().signal,
    },
  );
  for (const [url, { reason }] of problems) throw new Error(`${url}: ${reason}`);
}

async function timed<T>(task: () => Promise<T>): Promise<{ duration: number; result: T }> {
  const start = performance.now();
  const result = await task();
  return { duration: performance.now() - start, result };
}
