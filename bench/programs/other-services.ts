import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchArticles } from '../articles.ts';

/** A command to the running services; the reply is the number of requests since the last command. */
export type OtherServicesCommand =
  | { kind: 'latency'; latency: number }
  /** The next response has status 500. */
  | { kind: 'fail' }
  /** Only returns the number of requests. */
  | { kind: 'requests' };

interface Content {
  type: string;
  body: string;
  status?: number;
}

interface EncodedResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * Serves the benchmark's articles in the formats of Strapi 5, PocketBase and RSS. It implements only
 * the requests that the loaders of these services send.
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
let failNext = false;
/** By URL: generating responses would add to the measured time of a loader. */
const responses = new Map<string, EncodedResponse>();

const server = createServer(async (request, response) => {
  requests += 1;
  const fail = failNext;
  failNext = false;
  if (latency > 0) await sleep(latency);
  const { status, headers, body } = fail ? encode(serverError()) : responseTo(request.url ?? '');
  const unchanged = status === 200 && request.headers['if-none-match'] === headers.etag;
  response.writeHead(unchanged ? 304 : status, headers);
  response.end(unchanged ? undefined : body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

process.on('message', (command: OtherServicesCommand) => {
  if (command.kind === 'latency') latency = command.latency;
  if (command.kind === 'fail') failNext = true;
  process.send?.(requests);
  requests = 0;
});
process.on('disconnect', () => process.exit());
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

function responseTo(url: string): EncodedResponse {
  const response = responses.get(url) ?? encode(contentOf(url));
  responses.set(url, response);
  return response;
}

function encode({ type, body: text, status = 200 }: Content): EncodedResponse {
  const body = Buffer.from(text);
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  return { status, headers: { 'content-type': type, etag }, body };
}

function contentOf(url: string): Content {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  if (pathname === '/strapi/api/articles') return json(strapiPage(searchParams));
  if (pathname === '/api/collections/articles/records') return json(pocketbasePage(searchParams));
  if (pathname === '/feed.xml') return { type: 'application/rss+xml', body: feed() };
  return { ...json({ message: 'Not found.' }), status: 404 };
}

function serverError(): Content {
  return { ...json({ message: 'Something went wrong.' }), status: 500 };
}

function json(value: unknown): Content {
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

/** A filter by date matches nothing; the loader uses `fields=id` to look for removed records. */
function pocketbasePage(query: URLSearchParams) {
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('perPage') ?? 30);
  const matching = query.has('filter') ? [] : articles;
  const rows = matching.slice((page - 1) * perPage, page * perPage);
  const collection = { collectionId: 'pbc_articles', collectionName: 'articles', updated };
  const onlyIds = query.get('fields') === 'id';
  return {
    page,
    perPage,
    totalItems: matching.length,
    totalPages: Math.ceil(matching.length / perPage),
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
