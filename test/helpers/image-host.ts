import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../fixtures/listen.ts';
import type { TestLoaderContext } from './loader-context.ts';

/** The response to each path: bytes, or a handler. */
export type ImageResponse = Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export interface ImageHost {
  port: number;
  /** Its address is private, so only a site whose `image.domains` names it may request it. */
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

/** Makes a load use images from hosts with a private address, as `image.domains` in astro.config does. */
export function withDomains(...domains: string[]) {
  const adapt = (context: TestLoaderContext): TestLoaderContext => {
    const { config } = context;
    return { ...context, config: { ...config, image: { ...config.image, domains } } };
  };
  return { adapt };
}

/** Returns the bytes of one of the fixture covers. */
export function fixtureCover(name: string): Promise<Buffer> {
  return readFile(new URL(`../../fixtures/covers/${name}`, import.meta.url));
}
