import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { createArticlesClient } from '../../src/client/index.ts';
import type { Fetch } from '../../src/http/attempt.ts';
import { filesOf } from '../helpers/readme.ts';
import { temporaryServer } from '../helpers/temporary.ts';

const token = 'strapi-token-0123456789';
const total = 230;
const documents = Array.from({ length: total }, (_, index) => ({
  id: index + 1,
  documentId: `document${index}`,
  title: `Title ${index}`,
  content: 'word '.repeat((index % 7) + 1),
  cover: index % 2 ? { url: `/uploads/${index}.png` } : null,
  language: 'en',
}));

/** Starts a service with the paths, the envelope and the limit of Strapi 5. */
function startStrapi() {
  return temporaryServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const error = (status: number) => send(status, { data: null, error: { status } });
    if (request.headers.authorization !== `Bearer ${token}`) return error(401);
    if (request.headers['x-project-api-key']) return error(400);
    const [, id] = /^\/api\/articles\/(.*)$/.exec(pathname) ?? [];
    if (id === undefined || searchParams.get('populate') !== 'cover') return error(404);
    if (id) {
      const data = documents.find(({ documentId }) => documentId === id);
      return data ? send(200, { data, meta: {} }) : error(404);
    }
    const start = Number(searchParams.get('pagination[start]'));
    const limit = Math.min(100, Number(searchParams.get('pagination[limit]')));
    const pagination = { start, limit, total };
    return send(200, { data: documents.slice(start, start + limit), meta: { pagination } });
  });
}

test('the documented `fetch` for Strapi lists and fetches all articles', async () => {
  const { 'src/strapi.ts': source = '' } = filesOf('docs/start/strapi.md');
  const { code } = await transform(source, { loader: 'ts' });
  const { fetchFromStrapi }: { fetchFromStrapi: Fetch } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  const { url: baseUrl } = await startStrapi();
  const client = createArticlesClient({ baseUrl, apiKey: token, fetch: fetchFromStrapi });
  const { ids, unproven } = await client.survey();
  expect({ ids, unproven }).toEqual({ ids: documents.map(({ documentId }) => documentId) });
  expect(await client.getArticle('document3')).toMatchObject({
    id: 'document3',
    title: 'Title 3',
    content: documents[3]?.content,
    cover_image: '/uploads/3.png',
    extra: { language: 'en' },
  });
  expect(await client.getArticle('none')).toBeUndefined();
});
