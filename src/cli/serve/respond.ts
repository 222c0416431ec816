import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import type { Route } from './routes.ts';

/** A list becomes one line for each of its values. */
export type ResponseHeaders = Record<string, string | number | string[]>;

export interface ServedResponse {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
}

/** A response, or the JSON value of one. */
export type Reply = ServedResponse | (Omit<ServedResponse, 'body'> & { json: unknown });

export interface RespondOptions {
  /** The only key that is accepted. */
  apiKey: string;
  mediaFolder: string;
  /** Makes the page of the listing that a URL names. */
  list: (url: URL) => unknown;
  find: (id: string) => unknown;
}

/** Responds like the service when nothing is wrong with it. */
export async function respond(
  route: Route,
  { method, url, headers }: IncomingMessage,
  { apiKey, mediaFolder, list, find }: RespondOptions,
): Promise<Reply> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (route.kind === 'other') {
    const { location } = route;
    const page = htmlPage(404, 'Not Found');
    return location ? { ...page, status: 301, headers: { ...page.headers, location } } : page;
  }
  if (route.kind === 'media') {
    return isRead ? media(join(mediaFolder, route.file)) : htmlPage(405, 'Method Not Allowed');
  }
  // Django REST framework negotiates the type, then authenticates, then checks the method.
  const accepts = /\*\/\*|application\/(?:\*|json)/.test(headers.accept ?? '*/*');
  if (!accepts) return detail(406, 'Could not satisfy the request Accept header.');
  if (headers['x-project-api-key'] !== apiKey) {
    return detail(403, 'Authentication credentials were not provided.');
  }
  if (!isRead) return detail(405, `Method "${method}" not allowed.`);
  // The URL that the client used, as far as the Host header shows it.
  if (route.kind === 'list') return json(200, list(new URL(`http://${headers.host}${url}`)));
  const article = find(route.id);
  return article ? json(200, article) : detail(404, 'Not found.');
}

/** Creates a JSON error in the form of Django REST framework. */
export function detail(status: number, text: string): Reply {
  return json(status, { detail: text });
}

function json(status: number, value: unknown): Reply {
  const headers = {
    'content-type': 'application/json',
    vary: 'Accept',
    allow: 'GET, HEAD, OPTIONS',
  };
  return { status, headers, json: value };
}

/** Creates a web page, as a server in front of the API sends it. */
export function htmlPage(status: number, text: string): ServedResponse {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(`<!doctype html>\n<title>${text}</title>\n<h1>${text}</h1>\n`),
  };
}

const types: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Sends an image. The route has made sure that its path does not lead out of the folder. */
async function media(path: string): Promise<ServedResponse> {
  const type = types[extname(path).toLowerCase()];
  const found = await Promise.all([readFile(path), stat(path)]).catch(() => undefined);
  if (!type || !found) return htmlPage(404, 'Not Found');
  const [body, { mtime }] = found;
  const headers = { 'content-type': type, 'last-modified': mtime.toUTCString() };
  return { status: 200, headers, body };
}
