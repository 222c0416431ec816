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

async function ask(path: string): Promise<void> {
  const url = `${baseUrl}/api/integrations/project/articles/${path}`;
  const response = await fetch(url, { headers: { 'x-project-api-key': apiKey } });
  await response.json();
}

const started = performance.now();
const page = (offset: number) => ask(`?limit=500&offset=${offset}`);
await page(0);
await Promise.all(pages.map(page));
let next = 1;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next <= count) await ask(`${next++}/`);
  }),
);
console.log(JSON.stringify({ duration: performance.now() - started }));
