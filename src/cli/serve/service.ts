import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { detail, sendAnswer, toAnswer } from './answer.ts';
import { reply } from './api.ts';
import { listen } from './listen.ts';
import { findRoute } from './routes.ts';
import { defaults, type Settings } from './serve-options.ts';
import type { ServedArticle } from './served-article.ts';

export interface Service {
  /** Origin, without a slash at the end. */
  url: string;
  apiKey: string;
  /** Stops the service and ends all sockets. */
  close(): Promise<void>;
}

/** Starts the article service. `articles` is called for each request. */
export async function serveArticles({
  articles,
  ...given
}: Partial<Settings> & { articles: () => ServedArticle[] }): Promise<Service> {
  const settings = { ...defaults, ...given };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = findRoute(request.url ?? '', settings.basePath);
    const said = await reply(route, request, { ...settings, articles: articles() });
    sendAnswer(response, toAnswer(said, request.headers, settings));
  }

  const server = createServer((request, response) => {
    request.resume();
    answer(request, response).catch((error) =>
      sendAnswer(response, toAnswer(detail(500, String(error)), {}, settings)),
    );
  });
  const { port, close } = await listen(server, settings);
  return { url: originOf(settings.host, port), apiKey: settings.apiKey, close };
}

export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
