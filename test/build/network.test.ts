import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { temporaryFolder, temporaryServer } from '../helpers/temporary.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const service = await useService({ articles: makeArticles(3, { cover: 'tides.jpg' }) });
const sites = useSites();

/** Sends a request on to another server. */
function forward(url: string, { headers }: IncomingMessage, outgoing: ServerResponse): void {
  const onward = request(url, { headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy()).end();
}

/** Starts a proxy that forwards plain requests, and tunnels with CONNECT. */
async function startProxy() {
  const seen: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    forward(incoming.url ?? '', incoming, outgoing);
  });
  proxy.on('connect', ({ url = '' }, socket) => {
    seen.push(`CONNECT ${url}`);
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  const { url } = await temporaryServer(proxy);
  return { seen, url };
}

it('goes through the proxy of the environment, images included', async () => {
  const proxy = await startProxy();
  const site = await sites.create();
  const local = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, NO_PROXY: '' };
  await site.build({ ...service.env, ...local });
  const entries = await site.entries();
  expect(entries.every(({ data }) => data.cover_image !== null)).toBe(true);
  // Both tunnel through the proxy.
  expect(proxy.seen).toContain(`CONNECT ${new URL(service.url).host}`);
  expect(proxy.seen.filter((line) => line.startsWith('CONNECT')).length).toBeGreaterThan(1);
});

it('trusts a private certificate authority of `NODE_EXTRA_CA_CERTS`, images included, and no other', async () => {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...make, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  const secured = createTlsServer(
    { key: await readFile(key), cert: await readFile(cert) },
    (incoming, outgoing) => forward(`${service.origin}${incoming.url}`, incoming, outgoing),
  );
  const { port } = await temporaryServer(secured);
  const site = await sites.create({ options: '{ retries: 0 }' });
  const env = { ARTICLES_BASE_URL: `https://localhost:${port}`, ARTICLES_API_KEY: service.apiKey };

  const refused = await site.astro(['build'], env);
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('the certificate of localhost');
  expect(refused.output).toContain('NODE_EXTRA_CA_CERTS');

  await site.build({ ...env, NODE_EXTRA_CA_CERTS: cert });
  const entries = await site.entries();
  expect(entries.every(({ data }) => data.cover_image !== null)).toBe(true);
});
