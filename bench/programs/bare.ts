/** Sends the requests of a sync without checks or storage: the lower bound on this machine. */
const { baseUrl, apiKey, pages, count, concurrency }: BareOptions = JSON.parse(
  process.argv[2] ?? '',
);

export interface BareOptions {
  baseUrl: string;
  apiKey: string;
  /** The offsets of the pages after the first one. */
  pages: number[];
  /** The number of articles, whose ids start at 1; 0 requests only the listing. */
  count: number;
  concurrency: number;
}

const headers = { accept: 'application/json', 'x-project-api-key': apiKey };
/** The limit that the package has for pages, too, for any `concurrency`. */
const pagesAtOnce = 4;

async function getJson(path: string): Promise<void> {
  const url = `${baseUrl}/api/integrations/project/articles/${path}`;
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`GET ${url} failed with status ${response.status}`);
  await response.json();
}

async function getAll(paths: string[], atOnce: number): Promise<void> {
  const queue = paths.values();
  const worker = async () => {
    for (const path of queue) await getJson(path);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const pathOf = (offset: number) => `?limit=500&offset=${offset}`;
const started = performance.now();
await getJson(pathOf(0));
await getAll(pages.map(pathOf), Math.min(concurrency, pagesAtOnce));
await getAll(
  Array.from({ length: count }, (_, index) => `${index + 1}/`),
  concurrency,
);
console.log(JSON.stringify({ duration: performance.now() - started }));
