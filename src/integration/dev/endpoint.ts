import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { siteAt } from '../../content/site-state.ts';
import { hash } from '../../shared/hash.ts';
import type { Refresher } from './refresher.ts';

/** Where the dev server is told that articles have changed. */
export const refreshPath = '/_articles/refresh';

interface EndpointOptions {
  root: URL;
  refresher: Refresher;
  secret: string | undefined;
}

/**
 * Answers below `/_articles/` on the dev server: `POST /_articles/refresh` loads the articles again,
 * whatever its body says, and `GET /_articles/<collection>/<id>.json` shows an article as the mirror
 * has it.
 */
export function createEndpoint({ root, refresher, secret }: EndpointOptions) {
  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    answer(request, response, next).catch(next);
  };

  async function answer(request: IncomingMessage, response: ServerResponse, next: () => void) {
    const asked = request.url ?? '/';
    const start = asked.replace(/\?.*/s, '').indexOf('/_articles/');
    // What others are asked for need not be a URL.
    if (start === -1) return next();
    const url = new URL(asked.slice(start), 'http://localhost');
    const path = url.pathname;
    if (path === refreshPath) return answerRefresh(request, response, url);
    const [, collection, id] = /^\/_articles\/([^/]+)\/([^/]+)\.json$/.exec(path) ?? [];
    const article =
      collection &&
      id &&
      (await siteAt(root).finders.get(decodeText(collection))?.(decodeText(id)));
    if (!article) return next();
    reply(response, 200, await article.read());
  }

  async function answerRefresh(request: IncomingMessage, response: ServerResponse, url: URL) {
    request.resume();
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      return reply(response, 405, {
        ok: false,
        error: 'Send a POST request; its body is not read.',
      });
    }
    const refusal = refusalOf(request, { url, secret });
    if (refusal) return reply(response, 403, { ok: false, error: refusal });
    const { ok, error, reports } = await refresher.refresh();
    const changes = reports.map(({ collection, changes }) => ({ collection, ...changes }));
    reply(response, ok ? 200 : 502, { ok, ...(error ? { error } : {}), collections: changes });
  }
}

/** Says why a request may not refresh, or nothing when it may. */
function refusalOf(
  request: IncomingMessage,
  { url, secret }: { url: URL; secret: string | undefined },
): string | undefined {
  const { origin, host, authorization = '' } = request.headers;
  if (origin && (!URL.canParse(origin) || new URL(origin).host !== host)) {
    return 'A page of another origin may not refresh the articles.';
  }
  if (!secret) {
    return isLoopback(request.socket.localAddress)
      ? undefined
      : 'A secret is needed beyond this machine: set ARTICLES_REFRESH_SECRET, and send it as ' +
          '`?secret=` or as a bearer token.';
  }
  const given = url.searchParams.get('secret') ?? authorization.replace(/^Bearer /i, '');
  return isSame(given, secret) ? undefined : 'The secret is missing or wrong.';
}

/** Hashed first, since only texts of one length can be compared in a time that tells nothing. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hash(a)), Buffer.from(hash(b)));
}

function isLoopback(address = ''): boolean {
  return /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);
}

/** Decodes a part of a path; one that is malformed stays as it is. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function reply(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value, null, 2));
}
