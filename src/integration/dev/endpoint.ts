import type { IncomingMessage, ServerResponse } from 'node:http';
import { textsOf } from '../../report/load-report.ts';
import { verifyRequest } from '../../webhook/verify-request.ts';
import type { RefreshState } from './toolbar-app.ts';

/** The path of refresh requests on the dev server, with or without the site's base path before it. */
const refreshPath = '/_articles/refresh';
/** In bytes. The body is read because a signature covers it; that of a longer one is wrong. */
const maxBytes = 1_000_000;
const loopback = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * Creates the middleware for `POST /_articles/refresh`, which loads all articles again. Of the request, it
 * uses only the secret or the signature. With a secret, it accepts the same requests as `webhook()`.
 */
export function createEndpoint(refresh: () => Promise<RefreshState>, secret: string | undefined) {
  const deliveries = new Map<string, number>();

  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
    if (!path.endsWith(refreshPath)) return next();
    respond(request, query).then(({ status, ...body }) => {
      const headers = { 'content-type': 'application/json; charset=utf-8', allow: 'POST' };
      response.writeHead(status, headers).end(JSON.stringify(body, null, 2));
    }, next);
  };

  async function respond(request: IncomingMessage, query: string) {
    if (request.method !== 'POST') return { status: 405, ok: false, error: 'Send a POST request.' };
    const refusal = await refusalOf(request, query);
    if (refusal) return { status: 403, ok: false, error: refusal };
    const { error, reports } = await refresh();
    const collections = reports.map(({ collection, changes, notices }) => ({
      collection,
      ...changes,
      notices: textsOf(notices),
    }));
    return error === undefined
      ? { status: 200, ok: true, collections }
      : { status: 502, ok: false, error, collections };
  }

  /** Returns the reason to refuse a request; undefined when it is accepted. */
  async function refusalOf(request: IncomingMessage, query: string): Promise<string | undefined> {
    // A dev server with https uses HTTP/2, where `:authority` replaces `host`.
    const { origin, ':authority': authority, host = authority } = request.headers;
    const body = await readStart(request);
    if (origin && (!URL.canParse(origin) || new URL(origin).host !== host)) {
      return 'Requests from other origins are not allowed.';
    }
    if (!secret) {
      return loopback.test(request.socket.localAddress ?? '')
        ? undefined
        : 'Requests from other machines need a secret: set ARTICLES_REFRESH_SECRET, and send it as ' +
            '`?secret=`, as a bearer token, or as a signature.';
    }
    const own = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'));
    const headers = new Headers(
      own.map(([name, value]): [string, string] => [name, String(value)]),
    );
    const url = new URL(`?${query}`, 'http://localhost');
    const verdict = await verifyRequest({ url, headers, body }, { secret, deliveries });
    return verdict.status === 'refused' ? verdict.reason : undefined;
  }
}

/** Reads a body to its end, so that a response can be sent, and returns at most `maxBytes` of it. */
async function readStart(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
