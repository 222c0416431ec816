import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
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

/** Starts a proxy of the service with a certificate of its own. */
async function startSecured(key: string, cert: string) {
  const options = { key: await readFile(key), cert: await readFile(cert) };
  const secured = createTlsServer(options, ({ url, headers }, outgoing) => {
    const onward = request(`${service.origin}${url}`, { headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy()).end();
  });
  return temporaryServer(secured);
}

/** Starts a proxy that tunnels with CONNECT. */
async function startProxy() {
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    tunnels.push(url);
    const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  const { url } = await temporaryServer(proxy);
  return { tunnels, url };
}

it('trusts a certificate authority of `NODE_EXTRA_CA_CERTS` and no other, and uses the proxy of the environment, images included', async () => {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', [...make, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  const { port } = await startSecured(key, cert);
  const proxy = await startProxy();
  const site = await sites.create({ options: '{ retries: 0 }' });
  const env = { ARTICLES_BASE_URL: `https://localhost:${port}`, ARTICLES_API_KEY: service.apiKey };

  const refused = await site.astro(['build'], env);
  expect(refused.status).toBe(1);
  expect(refused.output).toContain('the certificate of localhost');
  expect(refused.output).toContain('NODE_EXTRA_CA_CERTS');

  proxy.tunnels.length = 0;
  const variables = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.url, NO_PROXY: '' };
  await site.build({ ...env, ...variables, NODE_EXTRA_CA_CERTS: cert });
  const entries = await site.entries();
  expect(entries.map(({ data }) => data.cover_image !== null)).toEqual([true, true, true]);
  // Both tunnel through the proxy: the service and the images.
  expect(proxy.tunnels.length).toBeGreaterThan(1);
  expect(new Set(proxy.tunnels)).toEqual(new Set([`localhost:${port}`]));
});
