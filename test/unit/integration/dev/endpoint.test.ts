import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { createEndpoint } from '../../../../src/integration/dev/dev-server.ts';
import { temporaryServer } from '../../../helpers/temporary.ts';

const secret = 'a-secret-of-the-tests';
const path = '/_articles/refresh';
let refreshes: number;
let error: string | undefined;
beforeEach(() => {
  refreshes = 0;
  error = undefined;
});

const endpoint = createEndpoint(async () => {
  refreshes += 1;
  return { reports: [], error };
}, secret);

const start = () =>
  temporaryServer((request, response) =>
    endpoint(request, response, () => response.writeHead(404).end('next')),
  );

/** Sends a refresh request over HTTP/2, as to a dev server with https. */
async function sendHttp2(headers: Record<string, string>): Promise<number | undefined> {
  const server = createHttp2Server((request, response) => {
    // Vite passes such requests to its middlewares unchanged.
    const pair: unknown[] = [request, response, () => response.writeHead(500).end()];
    Reflect.apply(endpoint, undefined, pair);
  });
  const { url: origin } = await temporaryServer(server);
  const session = connect(origin);
  const stream = session.request({ ':method': 'POST', ':path': path, origin, ...headers });
  stream.resume().end();
  const [responseHeaders] = await once(stream, 'response');
  session.destroy();
  return responseHeaders[':status'];
}

test('a request over HTTP/2 is refused or accepted by its secret, too', async () => {
  expect(await sendHttp2({ authorization: `Bearer ${secret}` })).toBe(200);
  expect(await sendHttp2({ authorization: 'Bearer wrong' })).toBe(403);
  expect(await sendHttp2({ authorization: `Bearer ${secret}`, origin: 'http://x.example' })).toBe(
    403,
  );
});

const statusOf = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, { method: 'POST', ...init })).status;

test('a request for any other path and query reaches Astro', async () => {
  const { url } = await start();
  for (const other of ['//', '/?next=/_articles/refresh', '/_articles/refresh/x']) {
    expect(await statusOf(`${url}${other}`)).toBe(404);
  }
  expect(refreshes).toBe(0);
});

test('the path may have the base of the site before it, and a slash behind it', async () => {
  const { url } = await start();
  const headers = { authorization: `Bearer ${secret}` };
  expect(await statusOf(`${url}/docs${path}/`, { headers })).toBe(200);
});

test('a refresh that fails returns the reason', async () => {
  const { url } = await start();
  error = 'The service responded 503.';
  const response = await fetch(`${url}${path}?secret=${secret}`, { method: 'POST' });
  expect([response.status, await response.json()]).toEqual([502, { ok: false, error }]);
});

test('a request with another method, or from a page of another origin, loads nothing', async () => {
  const { url } = await start();
  const headers = { authorization: `Bearer ${secret}` };
  const get = await fetch(url + path, { headers });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  for (const origin of ['https://away.example', 'http://127.0.0.1:1', 'null']) {
    expect(await statusOf(url + path, { headers: { ...headers, origin } })).toBe(403);
  }
  for (const query of ['', '?secret=', '?secret=wrong']) {
    expect(await statusOf(url + path + query)).toBe(403);
  }
  expect(refreshes).toBe(0);
  expect(await statusOf(url + path, { headers: { ...headers, origin: url } })).toBe(200);
  for (const query of ['?', '?next=?&'])
    expect(await statusOf(`${url}${path}${query}secret=${secret}`)).toBe(200);
});

test('a request without a host is not one of the same origin, also with an origin that is no URL', async () => {
  const { port } = new URL((await start()).url);
  const socket = createConnection(Number(port), '127.0.0.1');
  // Only HTTP/1.0 has requests without a host.
  socket.end(`POST ${path} HTTP/1.0\r\nauthorization: Bearer ${secret}\r\norigin: null\r\n\r\n`);
  expect((await text(socket)).split('\r\n')[0]).toContain(' 403 ');
  expect(refreshes).toBe(0);
});

test.each([
  [{ origin: 'https://away.example' }, 'Requests from other origins are not allowed.'],
  [{}, 'The secret or the signature is missing.'],
  [{ authorization: 'Bearer wrong' }, 'The secret or the signature is wrong.'],
])('a request with the headers %j is refused, with the reason', async (headers, reason) => {
  const { url } = await start();
  const response = await fetch(url + path, { method: 'POST', headers });
  expect([response.status, await response.json()]).toEqual([403, { ok: false, error: reason }]);
});

const sign = (text: string) => createHmac('sha256', secret).update(text);
const signed = (body: string) => ({ 'x-hub-signature-256': `sha256=${sign(body).digest('hex')}` });

test('a signed webhook is accepted once, and refused with another or a too large body', async () => {
  const { url } = await start();
  const body = JSON.stringify({ type: 'article.published' });
  const [id, time] = ['msg_1', String(Math.floor(Date.now() / 1000))];
  const standard = {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': `v1,${sign(`${id}.${time}.${body}`).digest('base64')}`,
  };
  const [largest, tooLarge] = ['x'.repeat(1_000_000), 'x'.repeat(1_000_001)];
  for (const [status, headers, sent] of [
    [200, signed(body), body],
    [403, signed(body), `${body} `],
    [200, standard, body],
    [403, standard, body],
    [200, signed(largest), largest],
    [403, signed(tooLarge), tooLarge],
  ] as const) {
    expect(await statusOf(url + path, { headers, body: sent })).toBe(status);
  }
  expect(refreshes).toBe(3);
});

const open = createEndpoint(async () => ({ reports: [], error }), undefined);

test.each([
  ...['::1', '127.0.0.1', '127.10.20.30', '::ffff:127.0.0.1'].map((address) => [address, 200]),
  ...[
    '10.0.0.1',
    '::ffff:10.0.0.1',
    '2001::1',
    '::12',
    '2127.0.0.1',
    '127.0.0.1.2',
    '127..0.1',
    '',
  ].map((address) => [address, 403]),
])(
  'without a secret, a request to the address %j is responded %i',
  async (localAddress, status) => {
    const { url } = await temporaryServer((request, response) => {
      Object.defineProperty(request.socket, 'localAddress', { value: localAddress });
      open(request, response, () => response.writeHead(404).end());
    });
    expect(await statusOf(url + path)).toBe(status);
  },
);
