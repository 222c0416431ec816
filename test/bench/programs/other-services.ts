import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchArticles } from '../articles.ts';

/** What the services can be told while they run. */
export type OthersTold =
  | { kind: 'latency'; latency: number }
  /** The next answer is a 500. */
  | { kind: 'fail' }
  | { kind: 'requests' };

interface Said {
  type: string;
  body: string;
  status?: number;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * The bench's articles as three other services give them: Strapi 5, PocketBase, and a feed. Only what
 * the loaders of these services ask for is there.
 */
const { count }: { count: number } = JSON.parse(process.argv[2] ?? '');
const updated = '2026-01-01 00:00:00.000Z';
const articles = benchArticles(count).map(({ id, title, content }) => ({
  id: String(id),
  title: String(title),
  content: String(content),
}));
let latency = 0;
let requests = 0;
let fails = false;
/** By address: what is measured is a loader, not how a service makes its answers. */
const answers = new Map<string, Answer>();

const server = createServer(async (request, response) => {
  requests += 1;
  const failed = fails;
  fails = false;
  if (latency > 0) await sleep(latency);
  const { status, headers, body } = failed ? toAnswer(fault()) : answerTo(request.url ?? '');
  const known = status === 200 && request.headers['if-none-match'] === headers.etag;
  response.writeHead(known ? 304 : status, headers);
  response.end(known ? undefined : body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

process.on('message', (told: OthersTold) => {
  if (told.kind === 'latency') latency = told.latency;
  if (told.kind === 'fail') fails = true;
  process.send?.(requests);
  requests = 0;
});
process.on('disconnect', () => process.exit());
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

function answerTo(url: string): Answer {
  const answer = answers.get(url) ?? toAnswer(say(url));
  answers.set(url, answer);
  return answer;
}

function toAnswer({ type, body: text, status = 200 }: Said): Answer {
  const body = Buffer.from(text);
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  return { status, headers: { 'content-type': type, etag }, body };
}

function say(url: string): Said {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  if (pathname === '/strapi/api/articles') return json(strapiPage(searchParams));
  if (pathname === '/api/collections/articles/records') return json(pocketbasePage(searchParams));
  if (pathname === '/feed.xml') return { type: 'application/rss+xml', body: feed() };
  return { ...json({ message: 'Not found.' }), status: 404 };
}

function fault(): Said {
  return { ...json({ message: 'Something went wrong.' }), status: 500 };
}

function json(value: unknown): Said {
  return { type: 'application/json', body: JSON.stringify(value) };
}

function strapiPage(query: URLSearchParams) {
  const page = Number(query.get('pagination[page]') ?? 1);
  const pageSize = Number(query.get('pagination[pageSize]') ?? 25);
  const rows = articles.slice((page - 1) * pageSize, page * pageSize);
  const pageCount = Math.ceil(articles.length / pageSize);
  return {
    data: rows.map((article) => ({ ...article, documentId: article.id, updatedAt: updated })),
    meta: { pagination: { page, pageSize, pageCount, total: articles.length } },
  };
}

/** With a filter by date nothing has changed; `fields=id` is how the loader looks for what is gone. */
function pocketbasePage(query: URLSearchParams) {
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('perPage') ?? 30);
  const chosen = query.has('filter') ? [] : articles;
  const rows = chosen.slice((page - 1) * perPage, page * perPage);
  const collection = { collectionId: 'pbc_articles', collectionName: 'articles', updated };
  const onlyIds = query.get('fields') === 'id';
  return {
    page,
    perPage,
    totalItems: chosen.length,
    totalPages: Math.ceil(chosen.length / perPage),
    items: rows.map((article) => (onlyIds ? { id: article.id } : { ...collection, ...article })),
  };
}

function feed(): string {
  const items = articles.map(
    ({ id, title, content }) =>
      `<item><guid isPermaLink="false">${id}</guid><title>${escaped(title)}</title>` +
      `<link>https://example.com/${id}</link><description>${escaped(content)}</description></item>`,
  );
  const about =
    '<title>Articles</title><link>https://example.com/</link><description>All</description>';
  return `<?xml version="1.0"?><rss version="2.0"><channel>${about}${items.join('')}</channel></rss>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
