import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createEndpoint } from '../../../src/integration/dev/endpoint.ts';
import type { RefreshState } from '../../../src/integration/dev/refresher.ts';

const secret = 'a-secret-of-tests';
const changes = {
  added: 1,
  updated: 0,
  unchanged: 2,
  removed: 0,
  entries: 2,
  drafts: 1,
  leftOut: 0,
};
let server: Server | undefined;
let refreshes = 0;

afterEach(() => void server?.close());

function refreshOf(error?: string) {
  const state: RefreshState = {
    isBusy: false,
    reports: [
      {
        collection: 'articles',
        status: 'synced',
        at: 0,
        duration: 1,
        warnings: [{ kind: 'articles', text: 'article "1": it is broken.' }],
        changes,
      },
    ],
    ...(error ? { error } : {}),
  };
  return async () => {
    refreshes += 1;
    return state;
  };
}

async function start({ error, secret: expected }: { error?: string; secret?: string } = {}) {
  refreshes = 0;
  const endpoint = createEndpoint(refreshOf(error), expected);
  const started = createServer((request, response) =>
    endpoint(request, response, () => response.writeHead(404).end('next')),
  );
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const path = '/_articles/refresh';

/** Sends a refresh request over HTTP/2, as to a dev server with https. */
async function sendHttp2(headers: Record<string, string>): Promise<number | undefined> {
  const endpoint = createEndpoint(refreshOf(), secret);
  const server = createHttp2Server((request, response) => {
    // Vite passes such requests to its middlewares unchanged.
    const pair: unknown[] = [request, response, () => response.writeHead(500).end()];
    Reflect.apply(endpoint, undefined, pair);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = connect(origin);
  const stream = session.request({ ':method': 'POST', ':path': path, origin, ...headers });
  stream.resume().end();
  const [responseHeaders] = await once(stream, 'response');
  session.destroy();
  server.close();
  return responseHeaders[':status'];
}

test('a request over HTTP/2 is refused or accepted by its secret, too', async () => {
  expect(await sendHttp2({ authorization: `Bearer ${secret}` })).toBe(200);
  expect(await sendHttp2({ authorization: 'Bearer wrong' })).toBe(403);
  expect(await sendHttp2({ authorization: `Bearer ${secret}`, origin: 'http://x.example' })).toBe(
    403,
  );
});

describe('access', () => {
  const statusOf = async (url: string, init: RequestInit = {}) =>
    (await fetch(url, { method: 'POST', ...init })).status;

  test('is allowed once for a signed webhook', async () => {
    const url = await start({ secret });
    const body = JSON.stringify({ type: 'article.published' });
    const [id, time] = ['msg_1', String(Math.floor(Date.now() / 1000))];
    const sign = (text: string) => createHmac('sha256', secret).update(text);
    const standard = {
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${sign(`${id}.${time}.${body}`).digest('base64')}`,
    };
    const hub = { 'x-hub-signature-256': `sha256=${sign(body).digest('hex')}` };
    expect(await statusOf(url + path, { headers: hub, body })).toBe(200);
    expect(await statusOf(url + path, { headers: hub, body: `${body} ` })).toBe(403);
    expect(await statusOf(url + path, { headers: standard, body })).toBe(200);
    expect(await statusOf(url + path, { headers: standard, body })).toBe(403);
    expect(refreshes).toBe(2);
  });

  test('is refused for a body that is too large to be verified', async () => {
    const url = await start({ secret });
    const body = 'x'.repeat(1_000_001);
    expect(await statusOf(`${url}${path}?secret=${secret}`, { body })).toBe(403);
  });
});
