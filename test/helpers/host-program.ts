import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../src/shared/clock.ts';
import { createHostCache, type HostName } from '../unit/webhook/host-caches.ts';

// Serves a built site as Netlify or Vercel does: its files, and its function behind a cache with the limits of the
// host. The header `x-cache` of a response says what the cache had. The arguments are the name of the host, the
// folder of the files and the module of the function.

type Handler = (request: Request) => Promise<Response>;
type Purge = (input: unknown) => Promise<unknown>;

const [name, folder = '', entry = ''] = process.argv.slice(2);
const cache = createHostCache(name as HostName, systemClock);
const stored = new Map<string, Response>();
const waitUntil = () => undefined;
const functions = cache.functions as Record<string, Purge>;

/** The APIs of the hosts that their packages for functions call, and the handler of a function. */
const hosts: Record<string, (exported: never) => Handler> = {
  Netlify(handle: (request: Request, context: object) => Promise<Response>) {
    Object.assign(process.env, { SITE_ID: 'site', NETLIFY_PURGE_API_TOKEN: 'token' });
    const { fetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      if (String(input) !== 'https://api.netlify.com/api/v1/purge') return fetch(input, init);
      const { cache_tags: tags } = JSON.parse(String(init?.body));
      const status = functions.purgeCache?.({ tags }).then(
        () => 202,
        () => 429,
      );
      return new Response(null, { status: (await status) ?? 404 });
    };
    return (request) => handle(request, { waitUntil, ip: '127.0.0.1' });
  },
  Vercel({ fetch }: { fetch: Handler }) {
    const get = () => ({ waitUntil, purge: functions });
    Object.assign(globalThis, { [Symbol.for('@vercel/request-context')]: { get } });
    return fetch;
  },
};
const { default: exported } = await import(pathToFileURL(entry).href);
const handle = hosts[name ?? '']?.(exported as never) as Handler;

async function render(request: Request, path: string): Promise<Response> {
  const response = await handle(request);
  response.headers.set('x-cache', 'MISS');
  if (request.method !== 'GET') return response;
  stored.set(path, response.clone());
  await cache.store(path, response.clone());
  return response;
}

async function respond(request: Request, path: string): Promise<Response> {
  const file = join(folder, decodeURI(path), path.endsWith('/') ? 'index.html' : '');
  if (existsSync(file)) return new Response(await readFile(file));
  const page = request.method === 'GET' && cache.pages.get(path);
  const response = stored.get(path)?.clone();
  if (!page || !response || page.usableUntil <= systemClock.now()) return render(request, path);
  const isFresh = page.freshUntil > systemClock.now();
  if (!isFresh) void render(request, path);
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
