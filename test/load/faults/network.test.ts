import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';
import { createClock } from '../../helpers/clock.ts';
import { key } from './harness.ts';

const program = fileURLToPath(new URL('./request-program.ts', import.meta.url));
const sockets = new Set<Socket>();
const servers = new Set<Server>();

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  sockets.clear();
  servers.clear();
});

/** Starts a server on loopback that stops after the test, and returns its port. */
async function listen(server: Server): Promise<number> {
  servers.add(server);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function request(port: number, options: { timeout?: number } = {}) {
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createArticlesClient(
    { baseUrl, apiKey: key, ...options },
    { clock: createClock(options) },
  );
  const outcome = await client.listPage().catch((error) => error);
  return { outcome, ...client.traffic() };
}

/** A server that responds with the same bytes to each request, and then closes the connection. */
function responding(bytes: string): Server {
  return createServer((socket) => {
    socket.once('data', () => socket.end(bytes));
  });
}

describe('a service that speaks TLS', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' });

  /** Signs a certificate for a name with the certificate authority of the test. */
  function certify(name: string, { host, days }: { host: string; days: number }): void {
    writeFileSync(path(`${name}.ext`), `subjectAltName=DNS:${host}`);
    openssl(`req -newkey rsa:2048 -nodes -subj /CN=${host} -keyout ${name}.key -out ${name}.csr`);
    openssl(
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} ` +
        `-extfile ${name}.ext -out ${name}.pem`,
    );
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tls-'));
    openssl('req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout ca.key -out ca.pem');
    certify('good', { host: 'localhost', days: 2 });
    certify('expired', { host: 'localhost', days: -1 });
    certify('other', { host: 'other.example', days: 2 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function start(certificate: string, listener: RequestListener): Promise<number> {
    const options = {
      key: readFileSync(path(`${certificate}.key`)),
      cert: readFileSync(path(`${certificate}.pem`)),
    };
    return listen(createTlsServer(options, listener));
  }

  /** Sends a request in a new process that trusts the test's authority, as the hint recommends. */
  async function requestTrusting(port: number) {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        NODE_EXTRA_CA_CERTS: path('ca.pem'),
        SERVICE_URL: `https://localhost:${port}`,
        SERVICE_KEY: key,
      },
    });
    expect(stdout + stderr).not.toContain(key);
    return JSON.parse(stdout);
  }

  it.each([
    ['has expired', 'expired', 'CERT_HAS_EXPIRED'],
    ['is for another host', 'other', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('with a certificate that %s is refused at once', async (_, certificate, code) => {
    const received: unknown[] = [];
    const port = await start(certificate, (request) => received.push(request.headers));
    const outcome = await requestTrusting(port);
    expect(outcome).toMatchObject({ code: 'tls', requests: 1 });
    expect(outcome.message).toContain(code);
    expect(outcome.hint).toContain('NODE_EXTRA_CA_CERTS');
    expect(received).toEqual([]);
  });

  it('with a private authority is used after following the hint', async () => {
    const port = await start('good', (_, response) => response.end('[]'));
    expect(await requestTrusting(port)).toEqual({ rows: 0, requests: 1 });
  });

  it('and redirects to http is refused, and no request is sent in clear text', async () => {
    const received: unknown[] = [];
    const plain = createServer((socket) => received.push(socket));
    const location = `http://localhost:${await listen(plain)}/`;
    const port = await start('good', (_, response) => response.writeHead(302, { location }).end());
    const outcome = await requestTrusting(port);
    expect(outcome).toMatchObject({ code: 'redirect', requests: 1 });
    expect(outcome.message).toContain(`from https://localhost:${port} to ${location.slice(0, -1)}`);
    expect(received).toEqual([]);
  });

  it('on a port that is requested with http is a failure that names the URL', async () => {
    const port = await start('good', (_, response) => response.end('[]'));
    const { outcome } = await request(port);
    expect(outcome).toMatchObject({ code: expect.stringMatching(/^(network|protocol)$/) });
    expect(outcome.message).toContain(`127.0.0.1:${port}`);
  });
});

describe('a connection that', () => {
  it('is closed as soon as it is open is tried five times', async () => {
    const { outcome, requests } = await request(
      await listen(createServer((socket) => socket.end())),
    );
    expect(outcome).toMatchObject({ code: 'network', attempts: 5 });
    expect(requests).toBe(5);
  });

  it('was kept open and then closed costs one retry, and no response', async () => {
    let responses = 0;
    const server = createServer((socket) => {
      socket.on('data', () => {
        // The second request of each connection reaches a server that has closed it.
        if (socket.bytesWritten > 0) return socket.resetAndDestroy();
        responses += 1;
        const head = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\n';
        socket.write(`${head}content-length: 2\r\n\r\n[]`);
      });
    });
    const baseUrl = `http://127.0.0.1:${await listen(server)}`;
    const client = createArticlesClient({ baseUrl, apiKey: key }, { clock: createClock() });
    for (let page = 0; page < 3; page++) expect((await client.listPage()).rows).toEqual([]);
    expect(responses).toBe(3);
    expect(client.traffic().retries).toBeGreaterThanOrEqual(1);
    expect(client.traffic().requests).toBe(3 + client.traffic().retries);
  });

  it('never sends a byte fails after three attempts', async () => {
    const { outcome, requests } = await request(
      await listen(createServer((socket) => socket.resume())),
    );
    expect(outcome).toMatchObject({ code: 'timeout', attempts: 3 });
    expect(outcome.message).toContain('30000 ms');
    expect(requests).toBe(3);
    await expect.poll(() => [...sockets].every((socket) => socket.destroyed)).toBe(true);
  });
});

const json = 'content-type: application/json\r\n';

describe('a response that', () => {
  it.each([
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    [
      'has a length and chunks',
      `HTTP/1.1 200 OK\r\n${json}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    ],
    [
      'has two lengths',
      `HTTP/1.1 200 OK\r\n${json}content-length: 2\r\ncontent-length: 3\r\n\r\n[] `,
    ],
    ['has a header without a name', `HTTP/1.1 200 OK\r\n: nothing\r\ncontent-length: 2\r\n\r\n[]`],
    [
      'has a header of 20 KB',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\ncontent-length: 2\r\n\r\n[]`,
    ],
    [
      'has chunks of no size',
      `HTTP/1.1 200 OK\r\n${json}transfer-encoding: chunked\r\n\r\nzz\r\n[]\r\n`,
    ],
  ])('%s is refused after a second attempt', async (_, bytes) => {
    const port = await listen(responding(bytes));
    const { outcome, requests } = await request(port);
    expect(outcome).toMatchObject({ code: 'protocol', attempts: 2 });
    expect(outcome.hint).toContain('scheme and port');
    expect(requests).toBe(2);
  });

  it.each(['gzip', 'br', 'deflate'])(
    'is plain, but marked as %s, is retried and then refused',
    async (encoding) => {
      const head = `HTTP/1.1 200 OK\r\n${json}content-encoding: ${encoding}\r\n`;
      const { outcome, requests } = await request(
        await listen(responding(`${head}content-length: 14\r\n\r\n{"results":[]}`)),
      );
      expect(outcome).toMatchObject({ name: 'ArticlesRequestError' });
      expect(outcome.message).not.toContain('results');
      expect(requests).toBeGreaterThanOrEqual(3);
    },
  );

  it.each([
    ['an article', 2 * 2 ** 20],
    ['a page', 32 * 2 ** 20],
  ])('has no end, as %s, is cut at its limit, and the connection with it', async (what, limit) => {
    const server = createServer((socket) => {
      const block = Buffer.alloc(65_536, ' ');
      const pour = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${json}\r\n`, pour));
      socket.on('drain', pour);
    });
    const baseUrl = `http://127.0.0.1:${await listen(server)}`;
    const client = createArticlesClient({ baseUrl, apiKey: key });
    const call = what === 'a page' ? client.listPage() : client.getArticle('1');
    const error = await call.catch((reason) => reason);
    expect(error).toMatchObject({ code: 'body-too-large', attempts: 1 });
    expect(error.message).toContain(String(limit));
    await expect.poll(() => [...sockets].every((socket) => socket.destroyed)).toBe(true);
    const [poured] = sockets;
    expect(poured?.bytesWritten).toBeLessThan(limit + 16 * 2 ** 20);
  });
});
