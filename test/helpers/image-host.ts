import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../fixtures/listen.ts';

/** The response to each path: bytes, or a handler. */
export type ImageResponse = Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export interface ImageHost {
  port: number;
  /** Its address is private: only a site with `allowPrivateHosts` may request it. */
  url: string;
  /** Every request so far. */
  requests: { path: string; headers: IncomingMessage['headers'] }[];
  responses: Map<string, ImageResponse>;
  close(): Promise<void>;
}

/** Starts a server of images on another origin than the service. */
export async function startImageHost(): Promise<ImageHost> {
  const responses = new Map<string, ImageResponse>();
  const requests: ImageHost['requests'] = [];
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    requests.push({ path, headers: request.headers });
    const known = responses.get(path);
    if (typeof known === 'function') known(request, response);
    else if (known) response.end(known);
    else response.writeHead(404).end('no such image');
  });
  const { port, close } = await listen(server, { port: 0, host: '::' });
  return { port, url: `http://127.0.0.1:${port}`, requests, responses, close };
}

/** Returns the bytes of one of the fixture covers. */
export function fixtureCover(name: string): Promise<Buffer> {
  return readFile(new URL(`../../fixtures/covers/${name}`, import.meta.url));
}
