import type { IncomingMessage } from 'node:http';
import { mediaResponse } from './media.ts';
import type { Route } from './routes.ts';
import type { ServedArticle } from './served-article.ts';
import { detail, htmlPage, type Reply, type ResponseHeaders } from './served-response.ts';

export interface RespondOptions {
  articles: readonly ServedArticle[];
  /** The only key that is accepted. */
  apiKey: string;
  /** The host of requests without a Host header. */
  host: string;
  mediaFolder: string;
  /** The `max-age` of media in seconds. Without it there is no Cache-Control. */
  mediaMaxAge?: number | undefined;
  /** Makes a page of the listing. */
  listPage: (articles: readonly ServedArticle[], url: URL) => unknown;
}

const allow = 'GET, HEAD, OPTIONS';

/** Responds like the service when nothing is wrong with it. */
export async function respond(
  route: Route,
  request: IncomingMessage,
  options: RespondOptions,
): Promise<Reply> {
  if (route.kind === 'other') return { kind: 'response', response: elsewhere(route.location) };
  if (route.kind === 'media') {
    const { mediaFolder: folder, mediaMaxAge: maxAge } = options;
    const response = isRead(request)
      ? await mediaResponse(route.file, { folder, maxAge, headers: request.headers })
      : htmlPage(405, 'Method Not Allowed');
    return { kind: 'response', response };
  }
  const { articles, listPage } = options;
  const refusal = refuse(request, options);
  if (refusal) return refusal;
  if (route.kind === 'list') return json(listPage(articles, urlOf(request, options)));
  const article = byId(articles).get(route.id);
  return article ? json(article) : detail(404, 'Not found.', { allow });
}

function json(value: unknown): Reply {
  return { kind: 'json', value, status: 200, headers: { allow } };
}

const indexes = new WeakMap<readonly ServedArticle[], Map<string, ServedArticle>>();

/** Of two articles with the same id, the first one is found. */
function byId(articles: readonly ServedArticle[]): Map<string, ServedArticle> {
  const known = indexes.get(articles);
  if (known) return known;
  const index = new Map(articles.toReversed().map((article) => [String(article.id), article]));
  indexes.set(articles, index);
  return index;
}

/** Django REST framework negotiates the type, then authenticates, then checks the method. */
function refuse(request: IncomingMessage, { apiKey }: { apiKey: string }): Reply | undefined {
  if (!acceptsJson(request.headers.accept)) {
    return detail(406, 'Could not satisfy the request Accept header.', { allow });
  }
  if (request.headers['x-project-api-key'] !== apiKey) {
    return detail(403, 'Authentication credentials were not provided.', { allow });
  }
  return isRead(request)
    ? undefined
    : detail(405, `Method "${request.method}" not allowed.`, { allow });
}

function elsewhere(location: string | undefined) {
  const page = htmlPage(404, 'Not Found');
  if (location === undefined) return page;
  const headers: ResponseHeaders = { ...page.headers, location };
  return { status: 301, headers, body: Buffer.alloc(0) };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function acceptsJson(accept = '*/*'): boolean {
  return /\*\/\*|application\/(?:\*|json)/.test(accept);
}

/** The URL that the client used, as far as the Host header shows it. */
function urlOf({ headers, url }: IncomingMessage, { host }: { host: string }): URL {
  return new URL(`http://${headers.host ?? host}${url ?? '/'}`);
}
