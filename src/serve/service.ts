import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { collectionPath, isLoopback } from '../client/urls.ts';
import { hash } from '../shared/hash.ts';
import { imageType } from '../shared/image-kinds.ts';
import type { ServedFile, ServedFolder } from './folder.ts';
import { mediaRoot, pictureFile, pictureOf } from './served-article.ts';

const host = '127.0.0.1';
const apiKey = 'local-key-not-a-secret';
const listing = `/${collectionPath}`;
const defaultLimit = 100;
const maxLimit = 500;
/** Seconds for which a client may use a picture without a request. */
const pictureAge = 5;

/**
 * Starts the article service on this machine.
 *
 * @param port 0 selects any free port
 * @param read called for each request
 */
export async function serveArticles(port: number, folder: string, read: () => ServedFolder) {
  const server = createServer(async (request, response) => {
    // Not 500, which clients retry: only a change of the files helps.
    const failure = (error: unknown) => json(422, { detail: String(error) });
    const { status, head, body } = await respond(request, folder, read).catch(failure);
    response.writeHead(status, head).end(body);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: used } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${used}`,
    apiKey,
    unref: () => void server.unref(),
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(
  { url = '', headers }: IncomingMessage,
  folder: string,
  read: () => ServedFolder,
) {
  const target = URL.parse(`http://${headers.host}${url}`);
  // The name of a page in the browser may lead to this machine, too (DNS rebinding).
  if (!target || !isLoopback(target.hostname)) {
    return json(421, {
      detail: `This service responds only to requests for localhost and ${host}.`,
    });
  }
  const { pathname } = target;
  const { files, pictures } = read();
  if (pathname.startsWith(mediaRoot)) {
    const picture = pictures.get(pictureOf(pathname.slice(mediaRoot.length)));
    const known = headers['if-none-match'];
    return picture ? image(join(folder, picture), known) : json(404, { detail: 'Not found.' });
  }
  if (!pathname.startsWith(listing)) return json(404, { detail: 'Not found.' });
  if (headers['x-project-api-key'] !== apiKey) {
    return json(403, { detail: `The key of this service is ${apiKey}.` });
  }
  if (pathname === listing) return json(200, pageOf(files, target));
  const segment = pathname.slice(listing.length);
  const file = files.find(
    ({ article: { id } }) => segment === `${encodeURIComponent(String(id))}/`,
  );
  if (!file) return json(404, { detail: 'Not found.' });
  return file.problem ? json(422, { detail: file.problem }) : json(200, file.article);
}

/** Pages like the LimitOffsetPagination of Django REST framework: a limit that is too high is lowered. */
function pageOf(files: ServedFile[], { origin, searchParams }: URL) {
  const number = (name: string) => Math.max(0, Math.trunc(Number(searchParams.get(name)))) || 0;
  const limit = Math.min(number('limit') || defaultLimit, maxLimit);
  const offset = number('offset');
  const end = offset + limit;
  const next = `${origin}${listing}?limit=${limit}&offset=${end}`;
  const rows = files.map(({ article, problem }) => (problem ? { id: article.id } : article));
  return {
    count: rows.length,
    next: end < rows.length ? next : null,
    results: rows.slice(offset, end),
  };
}

function json(status: number, value: unknown) {
  return { status, head: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Responds with a picture, unless the client has it: a site shows another picture soon after its file was saved. */
async function image(file: string, knownTag: string | undefined) {
  const body = await readFile(file);
  const etag = `"${hash(body)}"`;
  const [, format = ''] = pictureFile.exec(file) ?? [];
  const type = imageType(format.toLowerCase());
  const head = { 'content-type': type, 'cache-control': `max-age=${pictureAge}`, etag };
  return etag === knownTag ? { status: 304, head, body: '' } : { status: 200, head, body };
}
