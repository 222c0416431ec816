import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site } from '../helpers/site.ts';

let service: FixtureService;
let site: Site;
let folder: string;

beforeAll(async () => {
  service = await startService({ articles: makeArticles(3, { cover: 'tides.jpg' }) });
  folder = await mkdtemp(join(tmpdir(), 'network-'));
});
afterEach(() => site.remove());
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.close();
});

/** Starts a proxy that forwards plain requests, and tunnels with CONNECT. */
async function startProxy() {
  const seen: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const onward = request(incoming.url ?? '', { headers: incoming.headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy()).end();
  });
  proxy.on('connect', ({ url = '' }, socket) => {
    seen.push(`CONNECT ${url}`);
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  return { seen, url: await listen(proxy), close: () => proxy.close() };
}

function listen(server: {
  listen: (port: number, host: string, done: () => void) => void;
  address(): unknown;
}) {
  return new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

it('goes through the proxy of the environment, images included', async () => {
  const proxy = await startProxy();
  site = await createSite();
  const { status } = await site.astro(['build'], {
    ...service.env,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy.url,
    NO_PROXY: '',
  });
  proxy.close();
  expect(status).toBe(0);
  const entries = await site.entries();
  expect(entries.every(({ data }) => data.cover_image !== null)).toBe(true);
  // Both tunnel through the proxy.
  expect(proxy.seen).toContain(`CONNECT ${new URL(service.url).host}`);
  expect(proxy.seen.filter((line) => line.startsWith('CONNECT')).length).toBeGreaterThan(1);
});

it('trusts a private certificate authority of `NODE_EXTRA_CA_CERTS`, images included, and no other', async () => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...make, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  const secured = createTlsServer(
    { key: await readFile(key), cert: await readFile(cert) },
    ({ url, headers }, outgoing) => {
      const onward = request(`${service.origin}${url}`, { headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      onward.end();
    },
  );
  const port = new URL(await listen(secured)).port;
  site = await createSite({ options: '{ retry: { limit: 0 } }' });
  const env = { ARTICLES_BASE_URL: `https://localhost:${port}`, ARTICLES_API_KEY: service.apiKey };

  const refused = await site.astro(['build'], env);
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('the certificate of localhost');
  expect(refused.output).toContain('NODE_EXTRA_CA_CERTS');

  const trusted = await site.astro(['build'], { ...env, NODE_EXTRA_CA_CERTS: cert });
  secured.close();
  expect(trusted.status).toBe(0);
  const entries = await site.entries();
  expect(entries.every(({ data }) => data.cover_image !== null)).toBe(true);
});
