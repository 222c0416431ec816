import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { isLoopback } from '../../client/urls.ts';
import { findFile, type ServedFolder } from './folder.ts';
import { decode, mediaRoot, pictureFile, type ServedArticle } from './served-article.ts';

export interface ServiceOptions {
  /** 0 selects any free port. */
  port: number;
  mediaFolder: string;
  /** Called for each request. */
  read: () => ServedFolder;
}

const host = '127.0.0.1';
const apiKey = 'local-key-not-a-secret';
const listing = '/api/integrations/project/articles/';
const defaultLimit = 100;
const maxLimit = 500;

/** Starts the article service on this machine. */
export async function serveArticles({ port, ...options }: ServiceOptions) {
  const server = createServer(async (request, response) => {
    // Not 500, which clients retry: only a change of the files helps.
    const failure = (error: unknown) => json(422, { detail: String(error) });
    const { status, type, body } = await respond(request, options).catch(failure);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const used = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host}:${used}`,
    apiKey,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(
  { url = '', headers }: IncomingMessage,
  { read, mediaFolder }: Omit<ServiceOptions, 'port'>,
) {
  const target = URL.parse(`http://${headers.host}${url}`);
  // The name of a page in the browser may lead to this machine, too (DNS rebinding).
  if (!target || !isLoopback(target.hostname)) {
    return json(421, {
      detail: `This service responds only to requests for localhost and ${host}.`,
    });
  }
  const { pathname } = target;
  const image = pathname.startsWith(mediaRoot) && (await readImage(mediaFolder, pathname));
  if (image) return image;
  if (!pathname.startsWith(listing)) return json(404, { detail: 'Not found.' });
  if (headers['x-project-api-key'] !== apiKey) {
    return json(403, { detail: `The key of this service is ${apiKey}.` });
  }
  const { articles, problems } = read();
  if (pathname === listing) return json(200, pageOf(articles, target));
  const segment = pathname.slice(listing.length);
  const article = articles.find(({ id }) => segment === `${encodeURIComponent(String(id))}/`);
  if (!article) return json(404, { detail: 'Not found.' });
  const problem = problems.get(String(article.id));
  return problem ? json(422, { detail: problem }) : json(200, article);
}

/** Pages like the LimitOffsetPagination of Django REST framework: a limit that is too high is lowered. */
function pageOf(articles: ServedArticle[], { origin, searchParams }: URL) {
  const number = (name: string) => Math.max(0, Math.trunc(Number(searchParams.get(name)))) || 0;
  const limit = Math.min(number('limit') || defaultLimit, maxLimit);
  const offset = number('offset');
  const end = offset + limit;
  const next = `${origin}${listing}?limit=${limit}&offset=${end}`;
  return {
    count: articles.length,
    next: end < articles.length ? next : null,
    results: articles.slice(offset, end),
  };
}

function json(status: number, value: unknown) {
  return { status, type: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

/** Reads a picture of the folder; undefined for all other files. */
async function readImage(folder: string, pathname: string) {
  const [, format = ''] = pictureFile.exec(pathname) ?? [];
  const file = format && findFile(folder, decode(pathname.slice(mediaRoot.length)));
  if (!file) return undefined;
  const type = `image/${{ jpg: 'jpeg', svg: 'svg+xml' }[format.toLowerCase()] ?? format}`;
  return { status: 200, type, body: await readFile(file) };
}
