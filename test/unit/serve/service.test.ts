import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveArticles } from '../../../src/serve/service.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';

const listing = '/api/integrations/project/articles/';

/** Serves a folder with these files, each with a title alone. */
async function serve(names: readonly string[]) {
  const folder = await temporaryFolder();
  for (const name of names) await writeFile(join(folder, name), '---\ntitle: A\n---\n');
  const service = await serveArticles(0, folder);
  onTestFinished(() => service.close());
  const get = (path: string, apiKey = service.apiKey) =>
    fetch(service.url + path, { headers: { 'x-project-api-key': apiKey } });
  return { ...service, folder, get };
}

// Without a date, the file with the highest number is listed first.
const ids = Array.from({ length: 502 }, (_, index) => `${1000 - index}`);

test.each([
  ['', 0, 100, 'limit=100&offset=100'],
  ['?limit=0', 0, 100, 'limit=100&offset=100'],
  ['?limit=-5&offset=-5', 0, 100, 'limit=100&offset=100'],
  ['?limit=all&offset=none', 0, 100, 'limit=100&offset=100'],
  ['?limit=2.9&offset=1.9', 1, 3, 'limit=2&offset=3'],
  ['?limit=501', 0, 500, 'limit=500&offset=500'],
  ['?offset=450', 450, 502, null],
  ['?offset=999', 502, 502, null],
])('of 502 articles, a page with the query %j has those from %i to %i', async (...row) => {
  const [query, first, last, next] = row;
  const { get } = await serve(ids.map((id) => `${id}.md`));
  const page = await (await get(listing + query)).json();
  expect(page.results.map(({ id }: { id: string }) => id)).toEqual(ids.slice(first, last));
  expect(page.count).toBe(502);
  expect(page.next).toEqual(next && expect.stringContaining(`${listing}?${next}`));
});

test.each([1, 2, 3, 4, 6, 7])(
  'pages of %i, each requested by `next` of the one before, have each of 6 articles once',
  async (limit) => {
    const { get, url } = await serve(ids.slice(0, 6).map((id) => `${id}.md`));
    const pages: string[][] = [];
    let path = `${listing}?limit=${limit}`;
    while (path) {
      const { results, next } = await (await get(path)).json();
      pages.push(results.map(({ id }: { id: string }) => id));
      path = next?.replace(url, '');
    }
    expect(pages.flat()).toEqual(ids.slice(0, 6));
    expect(pages).toHaveLength(Math.ceil(6 / limit));
  },
);

test.each([
  ['png', 'image/png'],
  ['JPG', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['avif', 'image/avif'],
  ['SVG', 'image/svg+xml'],
])('sends a picture with the ending %s as %s', async (ending, type) => {
  const { get } = await serve([`a.${ending}`, 'a.txt']);
  const response = await get(`/a.${ending}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect((await get('/a.txt')).status).toBe(404);
});

test('refuses requests of articles with another key, and names its key', async () => {
  const { get, apiKey } = await serve(['a.md']);
  for (const path of [listing, `${listing}a/`]) {
    const refused = await get(path, 'other');
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { detail: `The key of this service is ${apiKey}.` },
    ]);
    expect((await get(path)).status).toBe(200);
  }
});

test('sends an article as its file is now, also after an edit since the last listing', async () => {
  const { get, folder } = await serve(['a.md']);
  await writeFile(join(folder, 'a.md'), '---\ntitle: Edited\n---\n');
  expect(await (await get(`${listing}a/`)).json()).toMatchObject({ title: 'Edited' });
});

test('refuses an article whose file cannot be used, with the reason, and sends the others', async () => {
  const { get, folder } = await serve(['a.md', 'b.md']);
  await writeFile(join(folder, 'a.md'), '---\na: *\u009b\n---\n');
  const refused = await get(`${listing}a/`);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain('a.md cannot be used: ');
  expect((await get(`${listing}b/`)).status).toBe(200);
});

test('has only the paths of the service, and listens on this machine alone', async () => {
  const { get, url } = await serve(['a.md']);
  for (const path of ['/', listing.slice(0, -1), `${listing}b/`, `${listing}a`, '/media'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  for (const path of ['/a.md', '/..%2f..%2fa.png'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect((await get('/%zz.png')).status).toBe(422);
  await expect(fetch(url.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow();
});

test('responds with a status that is not retried while its folder cannot be read', async () => {
  const { get, folder } = await serve(['a.md']);
  await rm(folder, { recursive: true });
  const { status, headers } = await get(listing);
  expect([status, headers.get('content-type')]).toEqual([422, 'application/json']);
});
