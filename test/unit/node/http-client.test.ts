import { createServer, type RequestListener } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/client.ts';
import { translateApi } from '../../../src/client/translate.ts';
import { readBody } from '../../../src/http/body.ts';
import type { Send } from '../../../src/http/send.ts';
import { createSend } from '../../../src/node/http-client.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const article = { id: 'tides', title: 'Äé', content: 'x'.repeat(5_000), cover_image: null };
const json = Buffer.from(JSON.stringify(article));
const init = { redirect: 'manual' } as const;

const encoded =
  (encoding: string, body: Uint8Array): RequestListener =>
  (_, response) =>
    response.setHeader('content-encoding', encoding).end(body);
const status =
  (code: number, body = '', headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end(body);

/** Returns the article that a client receives, or its error. */
async function receive(listener: RequestListener, send: Send | undefined) {
  const { url } = await temporaryServer(listener);
  const options = { baseUrl: url, apiKey: 'a-key-of-a-project', retries: 0, timeout: 1_000 };
  const client = createArticlesClient(options, { ...(send && { send }) });
  return client.getArticle('tides', { confirmMissing: false }).then(
    (received) => ({ ...received, respondedAt: 0 }),
    ({ code, status, hint, message }) => ({ code, status, hint, message }),
  );
}

const asFetch: Record<string, RequestListener> = {
  'a plain body': (_, response) => response.end(json),
  'a gzip': encoded('gzip', gzipSync(json)),
  'a gzip, in capitals': encoded('GZIP', gzipSync(json)),
  'a body in Brotli': encoded('br', brotliCompressSync(json)),
  'a large gzip': encoded('gzip', gzipSync(Buffer.alloc(50_000_000, 32))),
  'a large body': (_, response) => response.end('x'.repeat(3_000_000)),
  'an empty body': (_, response) => response.end(),
  'a body with the encoding aws-chunked': encoded('aws-chunked', json),
  'an empty gzip': encoded('gzip', Buffer.alloc(0)),
  'a body in pieces': (_, response) => {
    response.write(json.subarray(0, 100));
    setTimeout(() => response.end(json.subarray(100)), 20);
  },
  'no byte': () => undefined,
  'no end': (_, response) => response.write(json.subarray(0, 100)),
  'cookies and a date': (_, response) =>
    response
      .setHeader('set-cookie', ['a=1', 'b=2'])
      .setHeader('date', 'Thu, 01 Jan 2026 00:00:00 GMT')
      .end(json),
  'a redirect': ({ url = '' }, response) =>
    url.endsWith('/end/')
      ? response.end(json)
      : status(302, 'moved', { location: 'end/' })(
          ...([{}, response] as unknown as Parameters<RequestListener>),
        ),
  'a redirect to another origin': status(302, '', { location: 'https://a.example/' }),
  'an empty status': status(204),
  'a refusal': status(401, '{"detail":"no"}', { 'content-type': 'application/json' }),
  'a conflict': status(409),
  'a failure': status(500, 'oops'),
};

it.each(Object.entries(asFetch))('a load receives %s as `fetch` does', async (_, listener) => {
  const port = /127\.0\.0\.1:\d+/g;
  const shown = async (send?: Send) =>
    JSON.stringify(await receive(listener, send)).replace(port, '');
  const expected = await shown();
  expect(expected).toMatch(/"id":"tides"|"code"/);
  expect(await shown(createSend())).toBe(expected);
});

const withoutBytes = Buffer.alloc(0);
const asNode: Record<string, [RequestListener, string]> = {
  'half a gzip': [encoded('gzip', gzipSync(json).subarray(0, -20)), 'Z_BUF_ERROR'],
  'a corrupt gzip': [encoded('gzip', json), 'Z_DATA_ERROR'],
  'a gzip without a byte, in chunks': [
    (_, response) => {
      response.setHeader('content-encoding', 'gzip').flushHeaders();
      response.end(withoutBytes);
    },
    'Z_BUF_ERROR',
  ],
  'raw deflate': [encoded('deflate', deflateSync(json)), 'encoding deflate'],
  Zstandard: [encoded('zstd', zstdCompressSync(json)), 'encoding zstd'],
  'two encodings': [encoded('gzip, br', brotliCompressSync(gzipSync(json))), 'encoding gzip, br'],
  'half a body': [
    (_, response) => {
      response.setHeader('content-length', json.length).write(json.subarray(0, 100));
      setTimeout(() => response.destroy(), 20);
    },
    'ECONNRESET',
  ],
  'the end of the connection': [(_, response) => response.destroy(), 'ECONNRESET'],
  'no HTTP': [({ socket }) => socket.end('garbage\r\n\r\n'), 'HPE_INVALID_CONSTANT'],
  'long headers': [status(200, '', { x: 'y'.repeat(70_000) }), 'HPE_HEADER_OVERFLOW'],
};

it.each(Object.entries(asNode))('%s is a failure of the network', async (_, [listener, reason]) => {
  const failure = { code: 'network', message: expect.stringContaining(reason) };
  expect(await receive(listener, createSend())).toMatchObject(failure);
});

it('a translation in a load reports an unusual status as it is', async () => {
  const { url } = await temporaryServer(status(999, 'busy'));
  const fetch = translateApi({
    listRows: async (_, api) => ({ rows: (await api.get<object[]>('all')).body }),
    getArticle: async () => undefined,
  });
  const options = { baseUrl: url, apiKey: 'a-key-of-a-project', retries: 0, fetch };
  const client = createArticlesClient(options, { send: createSend() });
  const failure = { status: 999, message: expect.stringMatching(/all: responded 999.*busy/) };
  await expect(client.listPage()).rejects.toMatchObject(failure);
});

it('a response to HEAD is empty, also with an encoding', async () => {
  const { url } = await temporaryServer(encoded('gzip', gzipSync(json)));
  expect(await createSend()(url, { ...init, method: 'HEAD' })).toMatchObject({ body: null });
});

it('headers of 60 KB are received', async () => {
  const { url } = await temporaryServer(status(200, '', { x: 'y'.repeat(60_000) }));
  expect((await createSend()(url, init)).headers.get('x')).toHaveLength(60_000);
});

it('one connection serves all requests whose responses were read', async () => {
  let connections = 0;
  const codes = Array.from({ length: 10 }, () => [200, 302, 204, 304, 404]).flat();
  const server = createServer((_, response) => status(codes.shift() ?? 200, 'moved')(_, response));
  server.on('connection', () => {
    connections += 1;
  });
  const { url } = await temporaryServer(server);
  const send = createSend();
  while (codes.length > 0) {
    const attempt = new AbortController();
    const reply = await send(url, { ...init, signal: attempt.signal });
    await readBody(reply, 1_000);
    // As at the end of each attempt.
    attempt.abort();
  }
  expect(connections).toBe(1);
});

it('an abort at the end of a response is no uncaught error', async () => {
  const { url } = await temporaryServer(status(200, 'body'));
  const send = createSend();
  for (let time = 0; time < 50; time++) {
    const stop = new AbortController();
    const reply = await send(url, { ...init, signal: stop.signal });
    const read = readBody(reply, 1_000).catch(() => undefined);
    if (time % 3) await Promise.resolve();
    if (time % 5) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await read;
  }
});

it('a body that is not read is no uncaught error', async () => {
  const { url } = await temporaryServer(encoded('gzip', json));
  const stop = new AbortController();
  await createSend()(url, { ...init, signal: stop.signal });
  stop.abort();
  await new Promise((resolve) => setTimeout(resolve, 50));
});

it.each([
  'http://user@127.0.0.1',
  'http://:pw@127.0.0.1',
  'http://127.0.0.1:25',
  'https://127.0.0.1:6000',
])('nothing is sent to %s', async (url) => {
  await expect(createSend()(url, init)).rejects.toThrow(
    /user name or password|port of another protocol/,
  );
  await expect(fetch(url)).rejects.toThrow();
});
