import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRefreshAccess } from './refresh-access.ts';
import type { Refresher } from './refresher.ts';

/** The path of refresh requests on the dev server. */
export const refreshPath = '/_articles/refresh';

/**
 * Creates the middleware for `POST /_articles/refresh`, which loads all articles again. Of the request, it
 * uses only the secret or the signature.
 */
export function createEndpoint({
  refresher,
  secret,
}: {
  refresher: Refresher;
  secret: string | undefined;
}) {
  const refusalOf = createRefreshAccess(secret);

  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    const url = refreshUrl(request.url);
    if (!url) return next();
    respond(request, url).then(({ status, body, headers }) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
      response.end(JSON.stringify(body, null, 2));
    }, next);
  };

  async function respond(request: IncomingMessage, url: URL): Promise<Reply> {
    if (request.method !== 'POST') {
      return { status: 405, headers: { allow: 'POST' }, body: failed('Send a POST request.') };
    }
    const refusal = await refusalOf(request, url);
    if (refusal) return { status: 403, body: failed(refusal) };
    const { error, reports } = await refresher.refresh();
    const collections = reports.map(({ collection, changes, warnings }) => ({
      collection,
      ...changes,
      warnings: warnings.map(({ text }) => text),
    }));
    return error === undefined
      ? { status: 200, body: { ok: true, collections } }
      : { status: 502, body: { ...failed(error), collections } };
  }
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body: object;
}

/** Parses the URL of a refresh request, with or without the site's base path before it. */
function refreshUrl(target = ''): URL | undefined {
  const [path = ''] = target.split('?');
  if (!path.endsWith(refreshPath)) return undefined;
  return new URL(target.slice(path.length - refreshPath.length), 'http://localhost');
}

function failed(error: string) {
  return { ok: false, error };
}
