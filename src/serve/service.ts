import { once } from 'node:events';
import { readFile as readBytes } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { collectionPath, isLoopback } from '../client/urls.ts';
import { imageType } from '../shared/image-kinds.ts';
import { extensionOf, readFile, readFolder, type ServedFile } from './folder.ts';

const host = '127.0.0.1';
const apiKey = 'local-key-not-a-secret';
const listing = `/${collectionPath}`;
const defaultLimit = 100;
const maxLimit = 500;

/**
 * Starts the article service on this machine.
 *
 * @param port 0 selects any free port
 */
export async function serveArticles(port: number, folder: string) {
  let served = readFolder(folder);

  async function respond({ url = '', headers }: IncomingMessage) {
    const target = URL.parse(`http://${headers.host}${url}`);
    // The name of a page in the browser may lead to this machine, too (DNS rebinding).
    if (!target || !isLoopback(target.hostname))
      return refuse(421, `This service responds only to requests for localhost and ${host}.`);
    const { pathname } = target;
    if (!pathname.startsWith(listing)) return respondWithPicture(decodeURI(pathname).slice(1));
    if (headers['x-project-api-key'] !== apiKey)
      return refuse(403, `The key of this service is ${apiKey}.`);
    if (pathname !== listing) return respondWithArticle(pathname);
    served = readFolder(folder);
    return json(200, pageOf(served.files, target));
  }

  /** Finds the file by the last reading of the folder, or by another one, and reads it again. */
  function respondWithArticle(pathname: string) {
    const isArticle = ({ id }: ServedFile) => pathname === `${listing}${encodeURIComponent(id)}/`;
    if (!served.files.some(isArticle)) served = readFolder(folder);
    const known = served.files.find(isArticle);
    if (!known) return refuse(404, 'Not found.');
    const { article, problem } = readFile(folder, known.path);
    // Not 500, which clients retry: only a change of the file helps.
    return article ? json(200, article) : refuse(422, problem);
  }

  async function respondWithPicture(path: string) {
    if (!served.pictures.has(path)) served = readFolder(folder);
    if (!served.pictures.has(path)) return refuse(404, 'Not found.');
    const type = imageType(extensionOf(path));
    const body = await readBytes(join(folder, path));
    return { status: 200, head: { 'content-type': type, 'cache-control': 'no-cache' }, body };
  }

  const server = createServer(async (request, response) => {
    const failure = (error: unknown) => refuse(422, String(error));
    const { status, head, body } = await respond(request).catch(failure);
    response.writeHead(status, head).end(body);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: used } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${used}`,
    apiKey,
    count: served.files.length,
    warnings: served.warnings,
    unref: () => void server.unref(),
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Pages like the LimitOffsetPagination of Django REST framework: a limit that is too high is lowered. */
function pageOf(files: readonly ServedFile[], { origin, searchParams }: URL) {
  const number = (name: string) => Math.max(0, Math.trunc(Number(searchParams.get(name)))) || 0;
  const limit = Math.min(number('limit') || defaultLimit, maxLimit);
  const offset = number('offset');
  const end = offset + limit;
  const next = `${origin}${listing}?limit=${limit}&offset=${end}`;
  return {
    count: files.length,
    next: end < files.length ? next : null,
    results: files.slice(offset, end).map(({ id, article }) => article ?? { id }),
  };
}

function json(status: number, value: unknown) {
  return { status, head: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function refuse(status: number, detail: string | undefined) {
  return json(status, { detail });
}
