import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../fixtures/service.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { createHastyClock } from '../../helpers/sync.ts';
import { always, key, useFaultBench } from './harness.ts';

const bench = useFaultBench();

function listen(server: Server, host?: string): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Asks for a page of a service that is none of the fixture's. */
async function ask(baseUrl: string, fetch?: Parameters<typeof createArticlesClient>[0]['fetch']) {
  const client = createArticlesClient(
    { baseUrl, apiKey: key, timeout: 400, fetch },
    createHastyClock(),
  );
  const error = await client.listPage().then(
    () => undefined,
    (reason) => reason,
  );
  return { error, requests: client.traffic().requests };
}

describe('connections', () => {
  it('row 1: a closed port is asked five times, and named', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    const { error, requests } = await ask(`http://127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: 'network', attempts: 5 });
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(requests).toBe(5);
  });

  it('row 2: a name that does not resolve is asked for three times, and named', async () => {
    const { error, requests } = await ask('https://articles.invalid');
    expect(error).toMatchObject({ code: expect.stringMatching(/^(dns|network)$/) });
    expect(error.message).toContain('articles.invalid');
    expect(requests).toBeGreaterThanOrEqual(3);
  });

  it('row 3: a service on IPv4 alone is found under a name that has both', async () => {
    const baseUrl = bench.service.url.replace('127.0.0.1', 'localhost');
    const client = createArticlesClient({ baseUrl, apiKey: key });
    expect((await client.listPage()).rows).toHaveLength(6);
  });

  it('row 4: a certificate of nobody is refused at once, with what to do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const request = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' ');
    execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certFile], {
      stdio: 'ignore',
    });
    const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) });
    const { error, requests } = await ask(`https://localhost:${await listen(server)}`);
    server.close();
    rmSync(folder, { recursive: true });
    expect(error).toMatchObject({ code: 'tls' });
    expect(error.hint).toContain('NODE_EXTRA_CA_CERTS');
    expect(requests).toBe(1);
  });

  it('row 5: https on an http port is a fault of the configuration', async () => {
    const { error, requests } = await ask(bench.service.url.replace('http:', 'https:'));
    expect(error).toMatchObject({ code: 'protocol' });
    expect(error.hint).toContain('scheme and port');
    expect(requests).toBe(2);
  });

  it('row 11: a connection that the server had given up is replaced at once', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => socket.destroy());
      // Says that the connection stays open, and closes it.
      socket.once('data', () => {
        const body = '[]';
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
            `connection: keep-alive\r\n\r\n${body}`,
        );
        socket.once('data', () => socket.destroy());
      });
    });
    const baseUrl = `http://127.0.0.1:${await listen(server, '127.0.0.1')}`;
    const client = createArticlesClient({ baseUrl, apiKey: key, timeout: 400 }, createHastyClock());
    for (let page = 0; page < 3; page++) expect((await client.listPage()).rows).toEqual([]);
    server.close();
  });
});

const article: [number, string, Fault, string, number][] = [
  [6, 'is closed at once', { kind: 'close' }, 'network', 5],
  [7, 'is reset', { kind: 'reset' }, 'network', 5],
  [8, 'breaks off in the body', { kind: 'cut' }, 'network', 5],
  [9, 'ends without its last chunk', { kind: 'cut', chunked: true }, 'network', 5],
  [
    10,
    'ends early where only the end of the connection tells',
    { kind: 'cut', closeDelimited: true },
    'invalid-articles',
    3,
  ],
  [12, 'sends its head a byte at a time', { kind: 'slowHeaders', every: 100 }, 'timeout', 3],
  [13, 'stalls half-way', { kind: 'stall' }, 'timeout', 3],
  [14, 'drips for ever', { kind: 'drip' }, 'timeout', 3],
  [
    15,
    'is longer than it said',
    raw('content-length: 5\r\n\r\n{"id":6,"title":"t"}'),
    'invalid-articles',
    3,
  ],
  [15, 'is shorter than it said', raw('content-length: 500\r\n\r\n{"id":6}'), 'network', 5],
  [16, 'is no HTTP', { kind: 'raw', bytes: 'hello there\r\n\r\n' }, 'protocol', 2],
  [16, 'has a header of 20 KB', raw(`x: ${'y'.repeat(20_000)}\r\n\r\n`), 'protocol', 2],
  [17, 'is half a gzip', { kind: 'gzipCut' }, 'invalid-articles', 3],
  [18, 'is a damaged gzip', { kind: 'gzipCorrupt' }, 'network', 5],
];

function raw(rest: string): Fault {
  return { kind: 'raw', bytes: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}` };
}

describe('an answer that', () => {
  it.each(article)(
    'row %i: %s is asked for again, in vain at last',
    async (_, __, fault, code, attempts) => {
      bench.strike('article', fault, always);
      expect(await bench.fails()).toMatchObject({ code });
      expect(bench.service.count('article')).toBe(attempts);
    },
  );

  it.each(article)(
    'row %i: %s costs one more request when it does so once',
    async (_, __, fault) => {
      bench.strike('article', fault);
      await bench.succeeds();
      expect(bench.service.count('article')).toBe(2);
    },
  );
});

describe('an answer without end', () => {
  it.each([
    [19, 'a gzip bomb', { kind: 'gzipBomb' }],
    [20, 'a huge body', { kind: 'huge' }],
  ] as const)('row %i: %s is cut at the cap, and not asked for again', async (_, __, fault) => {
    bench.strike('article', fault, always);
    const error = await bench.fails({ timeout: 5_000 });
    expect(error.message).toContain('it is larger than 8388608 bytes');
    expect(bench.service.count('article')).toBe(1);
  });
});

it('row 29: a redirect from https to http is refused', async () => {
  const location = 'http://app.example.com/api/integrations/project/articles/';
  const asked: string[] = [];
  const { error } = await ask('https://app.example.com', async (url) => {
    asked.push(url);
    return new Response(null, { status: 302, headers: { location } });
  });
  expect(error).toMatchObject({ code: 'redirect' });
  expect(error.message).toContain('from https://app.example.com to http://app.example.com');
  expect(asked).toHaveLength(1);
});
