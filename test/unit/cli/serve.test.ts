import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';
import { plain, run, start } from '../../helpers/command-line.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

async function serve(args: string[], cwd?: string) {
  const { child, printed, ended } = start(['serve', '--port', '0', ...args], cwd ? { cwd } : {});
  onTestFinished(() => void child.kill());
  await expect.poll(() => printed.out + printed.err).toContain('ARTICLES_API_KEY=');
  const lines = printed.out.matchAll(/^(ARTICLES_\w+)=(.+)$/gm);
  // The variables that a site needs to load from it.
  const env = Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, value]));
  const { ARTICLES_BASE_URL: url = '', ARTICLES_API_KEY: apiKey = '' } = env;
  const client = createArticlesClient({ baseUrl: url, apiKey });
  async function articles() {
    const { rows } = await client.listPage();
    return Promise.all(rows.map((row) => client.getArticle(String(Object(row).id))));
  }
  async function stop(signal: NodeJS.Signals) {
    child.kill(signal);
    return (await ended).status;
  }
  return { url, apiKey, printed, articles, stop };
}

test('serves the built-in articles, prints their address and key, and stops on a signal', async () => {
  const service = await serve([]);
  expect(plain(service.printed.out).replace(/from .*examples/, 'from …')).toMatchInlineSnapshot(`
    "http://127.0.0.1:PORT serves 6 articles from …. Ctrl-C stops it.

    For the .env file of a site:

    ARTICLES_BASE_URL=http://127.0.0.1:PORT
    ARTICLES_API_KEY=local-key-not-a-secret

    "
  `);
  expect(await service.articles()).toHaveLength(6);
  const cover = await fetch(`${service.url}/tides.webp`);
  expect(cover.headers.get('content-type')).toBe('image/webp');
  const inUse = await run(['serve', '--port', new URL(service.url).port]);
  expect(inUse.status).toBe(2);
  expect(plain(inUse.err)).toContain('EADDRINUSE: address already in use 127.0.0.1:PORT\n');
  // The client is still connected.
  expect(await service.stop('SIGINT')).toBe(0);
  await expect(fetch(service.url)).rejects.toThrow();
  expect(await (await serve([])).stop('SIGTERM')).toBe(0);
});

test('responds only to requests that name this machine', async () => {
  const { url, apiKey } = await serve([]);
  const { port } = new URL(url);
  const get = (host: string, path = '/tides.webp') =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const headers = { host, 'x-project-api-key': apiKey };
      request({ port, host: '127.0.0.1', path, headers }, async (response) =>
        resolve([response.statusCode, await text(response)]),
      )
        .on('error', reject)
        .end();
    });
  for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`, 'a.localhost']) {
    expect([host, (await get(host))[0]]).toEqual([host, 200]);
  }
  const detail = 'This service responds only to requests for localhost and 127.0.0.1.';
  const attacker = 'attacker.example';
  for (const host of [attacker, `localhost.${attacker}:${port}`, '10.0.0.1', 'media']) {
    for (const path of ['/tides.webp', '/api/integrations/project/articles/']) {
      const refused = [host, 421, JSON.stringify({ detail })];
      expect([host, ...(await get(host, path))]).toEqual(refused);
    }
  }
});

test('prints the path of a folder from the current one, and the number of its articles', async () => {
  const path = await temporaryFolder();
  await mkdir(join(path, 'texts/more'), { recursive: true });
  await writeFile(join(path, 'texts/more/one.md'), '---\ntitle: One\n---\nText.');
  const { printed } = await serve(['texts/more'], path);
  expect(printed.out).toContain(` serves 1 article from ${join('texts', 'more')}. `);
});

test('names files that it does not serve without control characters, and refuses a folder without others', async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, '\u001b[31m.mdx'), '');
  const { status, err } = await run(['serve', '--port', '0', path]);
  expect(status).toBe(2);
  expect(err).toContain('! \\u{1b}[31m.mdx is not served');
  expect(err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(err).toContain(`${path} contains no Markdown files.`);
});
