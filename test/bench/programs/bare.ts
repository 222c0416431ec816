/** Asks for the same as a sync, checks nothing and keeps nothing: what is left is the machine. */
const { baseUrl, apiKey, pages, count, concurrency }: BareGiven = JSON.parse(process.argv[2] ?? '');

export interface BareGiven {
  baseUrl: string;
  apiKey: string;
  /** The offsets of the pages after the first one. */
  pages: number[];
  /** Articles, whose ids are 1 and up; none asks for the listing alone. */
  count: number;
  concurrency: number;
}

const headers = { accept: 'application/json', 'x-project-api-key': apiKey };
/** As ours does, whatever `concurrency` says. */
const pagesAtOnce = 4;

async function ask(path: string): Promise<void> {
  const url = `${baseUrl}/api/integrations/project/articles/${path}`;
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  await response.json();
}

async function askAll(paths: string[], atOnce: number): Promise<void> {
  const left = paths.values();
  const worker = async () => {
    for (const path of left) await ask(path);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const pathOf = (offset: number) => `?limit=500&offset=${offset}`;
const started = performance.now();
await ask(pathOf(0));
await askAll(pages.map(pathOf), Math.min(concurrency, pagesAtOnce));
await askAll(
  Array.from({ length: count }, (_, index) => `${index + 1}/`),
  concurrency,
);
console.log(JSON.stringify({ duration: performance.now() - started }));
