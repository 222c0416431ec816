import { once } from 'node:events';
import { createServer } from 'node:http';
import { detail, respond } from './respond.ts';
import { findRoute } from './routes.ts';
import type { ServedArticle } from './served-article.ts';
import { listPage } from './served-listing.ts';

export interface Service {
  /** The origin, without a slash at the end. */
  url: string;
  apiKey: string;
  /** Stops the service and closes all connections. */
  close(): void;
}

const host = '127.0.0.1';
const apiKey = 'local-key-not-a-secret';

/** Starts the article service on this machine. `articles` is called for each request. */
export async function serveArticles({
  port,
  mediaFolder,
  articles,
}: {
  /** 0 selects any free port. */
  port: number;
  mediaFolder: string;
  articles: () => ServedArticle[];
}): Promise<Service> {
  const options = {
    apiKey,
    mediaFolder,
    list: (url: URL) => listPage(articles(), url),
    find: (wanted: string) => articles().find(({ id }) => String(id) === wanted),
  };
  const server = createServer(async (request, response) => {
    request.resume();
    const route = findRoute(request.url ?? '');
    const failure = (error: unknown) => detail(500, String(error));
    const reply = await respond(route, request, options).catch(failure);
    const body = 'json' in reply ? Buffer.from(JSON.stringify(reply.json)) : reply.body;
    response.writeHead(reply.status, { 'content-length': body.length, ...reply.headers });
    response.end(body);
  });

  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The service has no port.');
  return {
    url: `http://${host}:${address.port}`,
    apiKey,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
