import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

// Serves a built site as Netlify or Vercel does, without their cache: its files, and its function. Prints the tags
// that the function purges. The arguments are the name of the host, the folder of the files and the module of the
// function.

type Handler = (request: Request) => Promise<Response>;

const [name = '', folder = '', entry = ''] = process.argv.slice(2);
const print = (line: string) => process.stdout.write(`${line}\n`);
const waitUntil = () => undefined;

/** The APIs of the hosts that their packages for functions call, and the handler of a function. */
const hosts: Record<string, (exported: never) => Handler> = {
  Netlify(handle: (request: Request, context: object) => Promise<Response>) {
    Object.assign(process.env, { SITE_ID: 'site', NETLIFY_PURGE_API_TOKEN: 'token' });
    const { fetch } = globalThis;
    globalThis.fetch = async (input, init) => {
      if (String(input) !== 'https://api.netlify.com/api/v1/purge') return fetch(input, init);
      for (const tag of JSON.parse(String(init?.body)).cache_tags) print(`purged ${tag}`);
      return new Response(null, { status: 202 });
    };
    return (request) => handle(request, { waitUntil, ip: '127.0.0.1' });
  },
  Vercel({ fetch }: { fetch: Handler }) {
    const invalidateByTag = async (tag: string) => print(`purged ${tag}`);
    const get = () => ({ waitUntil, purge: { invalidateByTag } });
    Object.assign(globalThis, { [Symbol.for('@vercel/request-context')]: { get } });
    return fetch;
  },
};
const { default: exported } = await import(pathToFileURL(entry).href);
const handle = hosts[name]?.(exported as never) as Handler;

const server = createServer(async (incoming, outgoing) => {
  const { method = '', url: path = '' } = incoming;
  const headers = incoming.headers as Record<string, string>;
  const file = join(folder, decodeURI(path), path.endsWith('/') ? 'index.html' : '');
  if (existsSync(file)) return outgoing.end(await readFile(file));
  const body = method === 'POST' && { body: new Uint8Array(await buffer(incoming)) };
  const url = new URL(path, `http://${headers.host}`);
  const response = await handle(new Request(url, { method, headers, ...body }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  return outgoing.end(await response.bytes());
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  print(`Ready on http://127.0.0.1:${port}`);
});
