import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Serves a built site as Netlify or Vercel does: its files, and its function behind a cache. The header `x-cache` of
// a response says what the cache had. The arguments are the name of the host, the folder of the files and the module
// of the function.

type Handler = (request: Request) => Promise<Response>;

interface CachedPage {
  response: Response;
  tags: string[];
  /** The times until which it is fresh, and may be served while it is rendered again. */
  freshUntil: number;
  usableUntil: number;
}

const [name = '', folder = '', entry = ''] = process.argv.slice(2);
const pages = new Map<string, CachedPage>();
const waitUntil = () => undefined;
const pagesWith = (tag: string) => [...pages].filter(([, page]) => page.tags.includes(tag));

/** The APIs of the hosts that their packages for functions call, and the handler of a function. */
const hosts: Record<string, (exported: never) => Handler> = {
  Netlify(handle: (request: Request, context: object) => Promise<Response>) {
    Object.assign(process.env, { SITE_ID: 'site', NETLIFY_PURGE_API_TOKEN: 'token' });
    const { fetch } = globalThis;
    let purges: { at: number; tag: string }[] = [];
    globalThis.fetch = async (input, init) => {
      if (String(input) !== 'https://api.netlify.com/api/v1/purge') return fetch(input, init);
      const tags: string[] = JSON.parse(String(init?.body)).cache_tags;
      const at = Date.now();
      purges = purges.filter((purge) => purge.at > at - 5_000);
      // A tag is purged twice in five seconds at most.
      const isRefused = tags.some((tag) => purges.filter((purge) => purge.tag === tag).length >= 2);
      if (isRefused) return new Response(null, { status: 429 });
      purges.push(...tags.map((tag) => ({ at, tag })));
      const remove = () => {
        for (const [path] of tags.flatMap(pagesWith)) pages.delete(path);
      };
      // All nodes of the host have it some seconds later.
      setTimeout(remove, 2_000);
      return new Response(null, { status: 202 });
    };
    return (request) => handle(request, { waitUntil, ip: '127.0.0.1' });
  },
  Vercel({ fetch }: { fetch: Handler }) {
    // The next reader gets the old page, while it is rendered again.
    async function invalidateByTag(tag: string) {
      for (const [, page] of pagesWith(tag)) page.freshUntil = 0;
    }
    const get = () => ({ waitUntil, purge: { invalidateByTag } });
    Object.assign(globalThis, { [Symbol.for('@vercel/request-context')]: { get } });
    return fetch;
  },
};
const { default: exported } = await import(pathToFileURL(entry).href);
const handle = hosts[name]?.(exported as never) as Handler;

async function render(request: Request, path: string): Promise<Response> {
  const response = await handle(request);
  response.headers.set('x-cache', 'MISS');
  if (request.method !== 'GET') return response;
  const header = (field: string) => response.headers.get(`${name.toLowerCase()}-${field}`) ?? '';
  const control = header('cdn-cache-control');
  const seconds = (field: string) => Number(new RegExp(`\\b${field}=(\\d+)`).exec(control)?.[1]);
  const freshUntil = Date.now() + seconds('max-age') * 1000;
  if (!(freshUntil > Date.now())) return response;
  const usableUntil = freshUntil + seconds('stale-while-revalidate') * 1000;
  const tags = header('cache-tag').split(',');
  pages.set(path, { response: response.clone(), tags, freshUntil, usableUntil });
  return response;
}

async function respond(request: Request, path: string): Promise<Response> {
  const file = join(folder, decodeURI(path), path.endsWith('/') ? 'index.html' : '');
  if (existsSync(file)) return new Response(await readFile(file));
  const page = request.method === 'GET' ? pages.get(path) : undefined;
  if (!page || page.usableUntil <= Date.now()) return render(request, path);
  const isFresh = page.freshUntil > Date.now();
  if (!isFresh) void render(request, path);
  const response = page.response.clone();
  response.headers.set('x-cache', isFresh ? 'HIT' : 'STALE');
  return response;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  return Buffer.concat(parts);
}

const server = createServer(async (incoming, outgoing) => {
  const { method = '', url: path = '', headers } = incoming;
  const body = await bodyOf(incoming);
  const request = new Request(new URL(path, `http://${headers.host}`), {
    method,
    headers: headers as Record<string, string>,
    ...(method === 'POST' && { body: new Uint8Array(body) }),
  });
  const response = await respond(request, path);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Ready on http://127.0.0.1:${port}\n`);
});
