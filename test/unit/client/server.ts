import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type ArticlesClientOptions, createArticlesClient } from '../../../src/client/index.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';

export const apiKey = 'key-of-the-unit-tests';

/** Sends a response. The id is undefined for a request of the listing. */
export type Handler = (
  request: IncomingMessage & { id: string | undefined; query: URLSearchParams },
  response: ServerResponse,
) => void;

export interface TestServer {
  url: string;
  /** The paths of all requests so far. */
  paths: string[];
  requests: IncomingMessage[];
}

/** Starts a server on loopback that stops with the test. */
export async function serve(handler: Handler): Promise<TestServer> {
  const paths: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const { pathname, search, searchParams: query } = new URL(request.url ?? '', 'http://x');
    paths.push(pathname + search);
    requests.push(request);
    const id = /\/articles\/([^/]+)\/$/.exec(pathname)?.[1];
    handler(Object.assign(request, { id: id && decodeURIComponent(id), query }), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, paths, requests };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export const articleOf = (id: string) => ({
  id,
  title: `Title ${id}`,
  content: `Content ${id}`,
  cover_image: null,
});

/** The time limit of one attempt in these tests, in ms. */
export const timeout = 400;

/** A clock whose time passes only by pauses, which end at once. */
export function createFastClock(random = 0.5): Clock & { waits: number[] } {
  const waits: number[] = [];
  let passed = 0;
  return {
    ...systemClock,
    now: () => passed,
    random: () => random,
    waits,
    after(delay, callback) {
      if (delay === timeout) return systemClock.after(delay, callback);
      waits.push(delay);
      return systemClock.after(0, () => {
        passed += delay;
        callback();
      });
    },
  };
}

export function clientOf(url: string, options: Partial<ArticlesClientOptions> = {}, random = 0.5) {
  const clock = createFastClock(random);
  const client = createArticlesClient({ baseUrl: url, apiKey, timeout, ...options }, { clock });
  return { client, clock };
}

/** The error with which a promise rejects. */
export function failureOf(promise: Promise<unknown>) {
  return promise.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error) => error,
  );
}
