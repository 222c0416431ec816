import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ArticlesClient, createArticlesClient } from '../../../src/client/index.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { useSites } from '../../helpers/use-builds.ts';
import { plain, run, start } from './cli.ts';

const covers = fileURLToPath(new URL('../../../fixtures/covers/', import.meta.url));

const sites = useSites();

interface Serving {
  url: string;
  apiKey: string;
  /** The variables that a site needs to load from it. */
  env: Record<string, string>;
  /** The output so far. */
  printed: { out: string; err: string };
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

async function serve(args: string[], cwd?: string): Promise<Serving> {
  const { child, printed, ended } = start(['serve', '--port', '0', ...args], cwd ? { cwd } : {});
  onTestFinished(() => void child.kill());
  await waitFor(() => printed.out.includes('ARTICLES_API_KEY='));
  const lines = printed.out.matchAll(/^(ARTICLES_\w+)=(.+)$/gm);
  const env = Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, value]));
  return {
    url: env.ARTICLES_BASE_URL ?? '',
    apiKey: env.ARTICLES_API_KEY ?? '',
    env,
    printed,
    async stop(signal = 'SIGINT') {
      child.kill(signal);
      return (await ended).status;
    },
  };
}

async function waitFor(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 10_000, interval: 20 }).toBe(true);
}

async function articlesOf({ url, apiKey }: Serving) {
  const client = createArticlesClient({ baseUrl: url, apiKey });
  return fetchAll(client);
}

async function fetchAll(client: ArticlesClient) {
  const { rows } = await client.listPage();
  return Promise.all(rows.map((row) => client.getArticle(String(Object(row).id))));
}

test('serves the built-in articles, and prints their address and key', async () => {
  const service = await serve([]);
  expect(plain(service.printed.out)).toMatchInlineSnapshot(`
    "http://127.0.0.1:PORT serves 6 articles from the built-in articles. Ctrl-C stops it.

    For the .env file of a site:

    ARTICLES_BASE_URL=http://127.0.0.1:PORT
    ARTICLES_API_KEY=local-key-not-a-secret

    "
  `);
  expect(await articlesOf(service)).toHaveLength(6);
  const cover = await fetch(`${service.url}/media/tides.webp`);
  expect(cover.headers.get('content-type')).toBe('image/webp');
  expect(await start(['check'], { env: service.env }).ended).toMatchObject({ status: 0 });
  expect(await service.stop()).toBe(0);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'stops on %s while a client is connected',
  async (signal) => {
    const service = await serve([]);
    await fetch(`${service.url}/media/tides.webp`);
    expect(await service.stop(signal)).toBe(0);
    await expect(fetch(service.url)).rejects.toThrow();
  },
);

test('prints the names and texts of files without control characters', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '\u001b[31m.md'), '---\na: *\u009b\n---\n');
  const { printed } = await serve([folder]);
  expect(printed.err).toContain('The front matter of \\u{1b}[31m.md cannot be parsed');
  expect(printed.err.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

test('responds only to requests that name this machine', async () => {
  const { url, apiKey } = await serve([]);
  const { port } = new URL(url);
  const get = (host: string, path = '/media/tides.webp') =>
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
  for (const host of [
    'attacker.example',
    `localhost.attacker.example:${port}`,
    '10.0.0.1',
    'media',
  ]) {
    for (const path of ['/media/tides.webp', '/api/integrations/project/articles/']) {
      expect([host, ...(await get(host, path))]).toEqual([
        host,
        421,
        '{"detail":"This service responds only to requests for localhost and 127.0.0.1."}',
      ]);
    }
  }
});

test('fails when the port is in use', async () => {
  const { url } = await serve([]);
  const { status, err } = await run(['serve', '--port', new URL(url).port]);
  expect(status).toBe(1);
  expect(plain(err)).toMatchInlineSnapshot(`
    "astro-articles serve: Port PORT is in use.
    Choose another one: --port PORT, or --port 0 for any free port.
    "
  `);
});

describe('a folder', () => {
  async function folder(): Promise<string> {
    const path = await temporaryFolder();
    await writeFile(
      join(path, 'first.md'),
      '---\ntitle: First\ncover: images/tides.jpg\n---\nText\n',
    );
    await writeFile(join(path, 'second.md'), '# Second\n\nText\n');
    await mkdir(join(path, 'images'));
    await cp(join(covers, 'tides.jpg'), join(path, 'images/tides.jpg'));
    await writeFile(join(path, 'notes.txt'), 'private');
    return path;
  }

  test('is served with its titles and covers, without its other files', async () => {
    const path = await folder();
    const service = await serve(['.'], path);
    expect(service.printed.out).toContain('serves 2 articles from this folder. Ctrl-C stops it.');
    expect(await articlesOf(service)).toMatchObject([
      { id: 'second', title: 'Second', content: '# Second\n\nText\n', cover_image: null },
      { id: 'first', title: 'First', content: 'Text\n', cover_image: '/media/images/tides.jpg' },
    ]);
    const status = async (name: string) => (await fetch(`${service.url}/media/${name}`)).status;
    expect(await status('images/tides.jpg')).toBe(200);
    expect(await status('notes.txt')).toBe(404);
    expect(await status('first.md')).toBe(404);
    expect(await status('..%2f..%2ftides.jpg')).toBe(404);
    expect(await status('%zz.png')).toBe(404);
  });

  test('is served in its current state', async () => {
    const path = await folder();
    const service = await serve([path]);
    const titles = async () => (await articlesOf(service)).map((article) => article?.title);

    await writeFile(join(path, 'first.md'), '---\ntitle: Edited\nauthor: Ada\n---\nText\n');
    expect(await titles()).toEqual(['Second', 'Edited']);
    expect(await articlesOf(service)).toContainEqual(
      expect.objectContaining({ extra: { author: 'Ada' } }),
    );
    await writeFile(join(path, 'third.md'), '---\nid: zzz\ntitle: Third\n---\n');
    expect(await titles()).toEqual(['Third', 'Second', 'Edited']);
    await rm(join(path, 'second.md'));
    await rename(join(path, 'third.md'), join(path, 'other.md'));
    expect(await titles()).toEqual(['Third', 'Edited']);
  });

  test('with a broken file serves the others, and names it', async () => {
    const path = await folder();
    const service = await serve([path]);
    await writeFile(join(path, 'first.md'), '---\ntitle: a: b\n---\n');
    const message = 'The front matter of first.md cannot be parsed: bad indentation';
    const client = createArticlesClient({ baseUrl: service.url, apiKey: service.apiKey });
    await expect(fetchAll(client)).rejects.toThrow(message);
    expect(await client.getArticle('second')).toMatchObject({ title: 'Second' });
    expect(service.printed.err).toContain(`! ${message}`);
    expect((await serve([path])).printed.err).toContain(`! ${message}`);
  });

  test('without Markdown files is refused', async () => {
    const path = await temporaryFolder();
    const { status, err } = await run(['serve', path]);
    expect(status).toBe(1);
    expect(err).toContain(`${path} contains no Markdown files.`);
  });

  test('is enough to build a site', async () => {
    const path = await folder();
    await mkdir(join(path, 'posts'));
    const post = '# Hello\n\n![Waves](../images/tides.jpg)\n';
    await writeFile(join(path, 'posts/hello-world.md'), post);
    const service = await serve([path]);
    const site = await sites.create({ options: `{ images: { body: 'local' } }` });
    const output = await site.build(service.env);
    expect(output).not.toContain('which is this machine');
    const built = (await site.entries()).map(({ data }) => [
      data.slug,
      data.title,
      data.cover_image?.width,
    ]);
    expect(built.toSorted()).toEqual([
      ['first', 'First', 1280],
      ['hello-world', 'Hello', undefined],
      ['second', 'Second', undefined],
    ]);
    const page = await readFile(join(site.root, 'dist/hello-world/index.html'), 'utf8');
    expect(page).toMatch(
      /<img[^>]* src="\/_astro\/[^"]+\.webp"[^>]* alt="Waves"|<img[^>]* alt="Waves"[^>]* src="\/_astro\//,
    );
  });
});

test('a build warns of pictures that its pages would load from this machine', async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, 'waves.md'), '# Waves\n\n![Waves](tides.jpg)\n');
  await cp(join(covers, 'tides.jpg'), join(path, 'tides.jpg'));
  const service = await serve([path]);
  const site = await sites.create();
  const output = await site.build(service.env);
  expect(output).toContain(
    `A page loads images from ${service.url}, which is this machine, so readers do not see them.`,
  );
  expect(output).toContain("set `images.body: 'local'`");
});

test('its files are part of the package', async () => {
  const { files } = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  expect(files).toEqual(expect.arrayContaining(['dist', 'fixtures/examples']));
});
