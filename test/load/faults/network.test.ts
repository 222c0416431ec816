import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../../fixtures/service.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { createClock } from '../../helpers/clock.ts';
import { temporaryServer } from '../../helpers/temporary.ts';
import { key, patience, useFaultSite } from './harness.ts';

const site = useFaultSite();
const program = fileURLToPath(new URL('./request-program.ts', import.meta.url));

/** Requests a page of another service than the fixture. */
async function request(baseUrl: string) {
  const client = createArticlesClient({ baseUrl, apiKey: key }, { clock: createClock() });
  const outcome = await client.listPage().catch((error) => error);
  return { outcome, ...client.traffic() };
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

  function start(certificate: string, listener: RequestListener) {
    const options = {
      key: readFileSync(path(`${certificate}.key`)),
      cert: readFileSync(path(`${certificate}.pem`)),
    };
    return temporaryServer(createTlsServer(options, listener));
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
    const { port } = await start(certificate, (request) => received.push(request.headers));
    const outcome = await requestTrusting(port);
    expect(outcome).toMatchObject({ code: 'tls', requests: 1 });
    expect(outcome.message).toContain(code);
    expect(outcome.hint).toContain('NODE_EXTRA_CA_CERTS');
    expect(received).toEqual([]);
  });

  it('and redirects to http is refused, and no request is sent in clear text', async () => {
    const received: unknown[] = [];
    const plain = await temporaryServer(createServer((socket) => received.push(socket)));
    const location = `http://localhost:${plain.port}/`;
    const { port } = await start('good', (_, response) =>
      response.writeHead(302, { location }).end(),
    );
    const outcome = await requestTrusting(port);
    expect(outcome).toMatchObject({ code: 'redirect', requests: 1 });
    expect(outcome.message).toContain(`from https://localhost:${port} to ${location.slice(0, -1)}`);
    expect(received).toEqual([]);
  });
});

describe('connections', () => {
  it('a name that does not resolve is tried three times, and named', async () => {
    const { outcome, requests } = await request('https://articles.invalid');
    expect(outcome).toMatchObject({ code: expect.stringMatching(/^(dns|network)$/) });
    expect(outcome.message).toContain('articles.invalid');
    expect(requests).toBeGreaterThanOrEqual(3);
  });

  it('https on an http port is an error of the configuration', async () => {
    const { outcome, requests } = await request(site.service.url.replace('http:', 'https:'));
    expect(outcome).toMatchObject({ code: 'protocol' });
    expect(outcome.hint).toContain('scheme and port');
    expect(requests).toBe(2);
  });
});

const raw = (rest: string): Fault => ({
  kind: 'raw',
  bytes: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}`,
});
const marked = (encoding: string) =>
  raw(`content-encoding: ${encoding}\r\ncontent-length: 2\r\n\r\n[]`);
const faults: [string, Fault, number][] = [
  ['is closed at once', { kind: 'close' }, 5],
  ['is reset', { kind: 'reset' }, 5],
  ['never begins', { kind: 'never' }, 3],
  ['breaks off in the body', { kind: 'cut' }, 5],
  ['ends without its last chunk', { kind: 'cut', chunked: true }, 5],
  ['ends early with its connection', { kind: 'cut', closeDelimited: true }, 3],
  ['sends its head a byte at a time', { kind: 'slowHeaders', every: 100 }, 3],
  ['stalls half-way', { kind: 'stall' }, 3],
  ['never ends, byte after byte', { kind: 'drip' }, 3],
  ['is longer than its length says', raw('content-length: 5\r\n\r\n{"id":6,"title":"t"}'), 3],
  ['is shorter than its length says', raw('content-length: 500\r\n\r\n{"id":6}'), 5],
  ['is not HTTP', { kind: 'raw', bytes: 'SSH-2.0-OpenSSH_9.6\r\n' }, 2],
  ['has a header of 20 KB', raw(`x: ${'y'.repeat(20_000)}\r\n\r\n`), 2],
  ['has a header without a name', raw(': nothing\r\ncontent-length: 2\r\n\r\n[]'), 2],
  ['has two lengths', raw('content-length: 2\r\ncontent-length: 3\r\n\r\n[] '), 2],
  ['has a length and chunks', raw('content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n'), 2],
  ['has chunks of no size', raw('transfer-encoding: chunked\r\n\r\nzz\r\n[]\r\n'), 2],
  ['is half a gzip', { kind: 'gzipCut' }, 3],
  ['is a corrupt gzip', { kind: 'gzipCorrupt' }, 5],
  ['is plain, but marked as gzip', marked('gzip'), 5],
  ['is plain, but marked as br', marked('br'), 3],
  ['is plain, but marked as deflate', marked('deflate'), 3],
];

describe('a response that', () => {
  it.each(faults)('%s is retried, and then the article’s problem', async (_, fault, attempts) => {
    site.strike('article', fault);
    const failure = await site.loadFails(patience(fault));
    expect(failure).toMatchObject({ code: 'invalid-articles', problems: [{ id: '6' }] });
    expect(site.service.count('article')).toBe(attempts);
    await expect.poll(() => site.service.activeRequests).toBe(0);
  });

  it.each([
    ['an article of', 'huge', 2 * 2 ** 20],
    ['a page of', 'huge', 32 * 2 ** 20],
    ['an article from a gzip of', 'gzipBomb', 2 * 2 ** 20],
  ] as const)(
    'is %s endless bytes is cut at its limit, and not retried',
    async (what, kind, limit) => {
      site.strike('any', { kind });
      let received = 0;
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          received += chunk.length;
          controller.enqueue(chunk);
        },
      });
      const counted: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        return new Response(response.body?.pipeThrough(count), response);
      };
      const client = createArticlesClient({
        baseUrl: site.service.url,
        apiKey: key,
        fetch: counted,
        // A busy machine may need seconds for the bytes of a page.
        timeout: 600_000,
      });
      const call = what === 'a page of' ? client.listPage() : client.getArticle('6');
      const error = await call.catch((reason) => reason);
      expect(error).toMatchObject({ code: 'body-too-large', attempts: 1 });
      expect(error.message).toContain(String(limit));
      expect(received).toBeLessThan(limit + 2 ** 20);
      await expect.poll(() => site.service.activeRequests).toBe(0);
    },
  );
});
