import type { IncomingMessage } from 'node:http';
import { detail, htmlPage, type Reply } from './answer.ts';
import { mediaAnswer } from './media.ts';
import type { Route } from './routes.ts';
import type { Settings } from './serve-options.ts';
import type { ServedArticle } from './served-article.ts';
import { listPage } from './served-listing.ts';

/** Replies as the service does when nothing is wrong with it. */
export async function reply(
  route: Route,
  request: IncomingMessage,
  settings: Settings & { articles: readonly ServedArticle[] },
): Promise<Reply> {
  if (route.kind === 'other') return elsewhere(route);
  if (route.kind === 'media') {
    const refused = !isRead(request);
    return {
      answer: refused
        ? htmlPage(405, 'Method Not Allowed')
        : await mediaAnswer(route.file, request.headers, settings),
    };
  }

  const refusal = refuse(request, settings);
  if (refusal) return refusal;

  const headers = { allow: ALLOWED };
  if (route.kind === 'list') {
    return {
      json: listPage(settings.articles, addressOf(request, settings), settings),
      status: 200,
      headers,
    };
  }

  const article = byId(settings.articles).get(route.id);
  return article ? { json: article, status: 200, headers } : detail(404, 'Not found.', headers);
}

const indexes = new WeakMap<readonly ServedArticle[], Map<string, ServedArticle>>();

/** Of two articles with one id, the first one is found. */
function byId(articles: readonly ServedArticle[]): Map<string, ServedArticle> {
  const known = indexes.get(articles);
  if (known) return known;
  const index = new Map(articles.toReversed().map((article) => [String(article.id), article]));
  indexes.set(articles, index);
  return index;
}

const ALLOWED = 'GET, HEAD, OPTIONS';

/** The framework negotiates the type, then authenticates, then looks at the method. */
function refuse(request: IncomingMessage, settings: Settings): Reply | undefined {
  const headers = { allow: ALLOWED };

  if (!acceptsJson(request.headers.accept)) {
    return detail(406, 'Could not satisfy the request Accept header.', headers);
  }
  if (request.headers['x-project-api-key'] !== settings.apiKey) {
    return detail(403, 'Authentication credentials were not provided.', headers);
  }
  if (!isRead(request)) {
    return detail(405, `Method "${request.method}" not allowed.`, headers);
  }
  return undefined;
}

function elsewhere({ location }: { location?: string }): Reply {
  const page = htmlPage(404, 'Not Found');
  if (location === undefined) return { answer: page };
  const headers = { ...page.headers, location };
  return { answer: { status: 301, headers, body: Buffer.alloc(0) } };
}

function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

function acceptsJson(accept = '*/*'): boolean {
  return /\*\/\*|application\/(?:\*|json)/.test(accept);
}

/** The address that the client used, as far as the service can know: from the Host header. */
function addressOf(request: IncomingMessage, settings: Settings): URL {
  const host = request.headers.host ?? settings.host;
  return new URL(`http://${host}${request.url ?? '/'}`);
}
