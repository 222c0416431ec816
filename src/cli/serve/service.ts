import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';
import { respond } from './respond.ts';
import { findRoute } from './routes.ts';
import type { ServedArticle } from './served-article.ts';
import { listPage } from './served-listing.ts';
import { detail, sendResponse, toResponse } from './served-response.ts';

export interface Service {
  /** The origin, without a slash at the end. */
  url: string;
  apiKey: string;
  /** Stops the service and closes all connections. */
  close(): Promise<void>;
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
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const options = { apiKey, host, mediaFolder, listPage, articles: articles() };
    const reply = await respond(findRoute(request.url ?? ''), request, options);
    sendResponse(response, toResponse(reply));
  }

  const server = createServer((request, response) => {
    request.resume();
    handle(request, response).catch((error) =>
      sendResponse(response, toResponse(detail(500, String(error)))),
    );
  });
  const listening = await listen(server, { port, host });
  return { url: `http://${host}:${listening.port}`, apiKey, close: listening.close };
}
