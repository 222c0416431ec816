import { createServer } from 'node:http';
import { EnvHttpProxyAgent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, expect, it, vi } from 'vitest';
import { listen } from '../../../fixtures/listen.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import type { ArticlesRequestError } from '../../../src/errors.ts';
import { hintOfProxy } from '../../../src/http/proxy.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const before = getGlobalDispatcher();
afterEach(() => {
  setGlobalDispatcher(before);
  vi.unstubAllEnvs();
});

/** Sets the proxy of the environment. */
function setProxy(url: string, noProxy?: string): void {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) {
    vi.stubEnv(name, url);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
  vi.stubEnv('NO_PROXY', noProxy);
  vi.stubEnv('no_proxy', undefined);
}

async function errorOf(baseUrl: string): Promise<ArticlesRequestError> {
  const client = createArticlesClient({ baseUrl, apiKey: 'key-0123456789', retries: 0 });
  return client.listPage().then(
    () => Promise.reject(new Error('no error')),
    (error) => error,
  );
}

/** Matches the hint that names the proxy. */
const namingProxy = (host: string) =>
  expect.stringMatching(new RegExp(`^HTTPS?_PROXY names the proxy ${host}: check .* login`));

/** Returns the URL of a port at which no server listens. */
async function closedUrl(): Promise<string> {
  const { port, close } = await listen(createServer(), { port: 0, host: '127.0.0.1' });
  await close();
  return `http://127.0.0.1:${port}`;
}

it.each([407, 403])('a proxy that responds %i is named', async (status) => {
  const proxy = createServer().on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
  });
  const { url } = await temporaryServer(proxy);
  setProxy(url.replace('//', '//user:secret@'));
  setGlobalDispatcher(new EnvHttpProxyAgent());
  for (const scheme of ['http', 'https']) {
    const error = await errorOf(`${scheme}://cms.test/`);
    expect(error).toMatchObject({ code: 'network', hint: namingProxy(new URL(url).host) });
    expect(error.message + error.hint).not.toContain('secret');
  }
});

it('a proxy that cannot be reached is named, and not the service', async () => {
  const proxy = await closedUrl();
  for (const url of [proxy, 'http://proxy.invalid:3128']) {
    setProxy(url.replace('//', '//user:secret@'));
    setGlobalDispatcher(new EnvHttpProxyAgent());
    const error = await errorOf('https://cms.test/');
    expect(error).toMatchObject({ code: 'network', hint: namingProxy(new URL(url).host) });
    expect(error.message + error.hint).not.toContain('secret');
  }
});

it('a service that cannot be reached without the proxy is named, and not the proxy', async () => {
  setProxy(await closedUrl(), '127.0.0.1');
  setGlobalDispatcher(new EnvHttpProxyAgent());
  const url = await closedUrl();
  const error = await errorOf(url);
  expect(error.message).toContain(`the connection to ${new URL(url).host} failed`);
  expect(error.hint).not.toContain('PROXY');
});

it('a proxy that is set and not used is named, where no response came', async () => {
  setProxy('http://user:secret@proxy.test:3128');
  const { hint } = await errorOf('https://cms.invalid/');
  expect(hint).toMatch(/^HTTPS_PROXY names the proxy proxy\.test:3128: .*NODE_USE_ENV_PROXY=1/);
  expect(hint).not.toContain('secret');
  const { url } = await temporaryServer((_, response) => response.writeHead(500).end());
  for (const local of [url, await closedUrl()])
    expect((await errorOf(local)).hint).not.toContain('PROXY');
  for (const exception of [
    '*',
    'cms.invalid',
    'invalid',
    '.invalid',
    'a.test, *.invalid',
    'a,cms.invalid',
  ]) {
    setProxy('http://proxy.test:3128', exception);
    expect((await errorOf('https://cms.invalid/')).hint).not.toContain('PROXY');
  }
});

it('a proxy that is set and not used is named after a time limit', async () => {
  setProxy('http://proxy.test:3128');
  const fetch = () => new Promise<never>(() => {});
  const options = { apiKey: 'key-0123456789', retries: 0, timeout: 1, fetch };
  const client = createArticlesClient({ baseUrl: 'https://cms.invalid', ...options });
  await expect(client.listPage()).rejects.toMatchObject({
    code: 'timeout',
    hint: namingProxy('proxy.test:3128'),
  });
});

it.each([
  [undefined, 'https://localhost/', false],
  [undefined, 'http://127.1.2.3/', false],
  [undefined, 'http://[::1]/', false],
  [undefined, 'https://notlocalhost/', true],
  [undefined, 'https://localhost.test/', true],
  [undefined, 'not a URL', false],
  ['a.test cms.invalid', 'https://cms.invalid/', false],
  ['valid', 'https://cms.invalid/', true],
  ['s.invalid', 'https://cms.invalid/', true],
])('with NO_PROXY=%s, a proxy is found for %s: %s', (exceptions, url, isFound) => {
  setProxy('http://proxy.test:3128', exceptions);
  expect(hintOfProxy(url) !== undefined).toBe(isFound);
});

it('the proxy of a URL is in the variable of its scheme', () => {
  setProxy('http://proxy.test:3128');
  expect(hintOfProxy('http://cms.invalid/')).toMatch(/^HTTP_PROXY /);
  expect(hintOfProxy('https://cms.invalid/')).toMatch(/^HTTPS_PROXY /);
});

it('a variable in lower case is used before one in upper case', () => {
  setProxy('http://upper.test:3128', 'other.invalid');
  vi.stubEnv('https_proxy', 'http://lower.test:3128');
  expect(hintOfProxy('https://cms.invalid/')).toContain(' lower.test:3128: ');
  expect(hintOfProxy('http://cms.invalid/')).toContain(' upper.test:3128: ');
  expect(hintOfProxy('https://other.invalid/')).toBeUndefined();
  vi.stubEnv('no_proxy', 'cms.invalid');
  expect(hintOfProxy('https://other.invalid/')).toContain(' lower.test:3128: ');
  expect(hintOfProxy('https://cms.invalid/')).toBeUndefined();
  vi.stubEnv('HTTPS_PROXY', undefined);
  expect(hintOfProxy('https://other.invalid/')).toContain(' lower.test:3128: ');
});
