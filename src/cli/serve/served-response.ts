import type { ServerResponse } from 'node:http';
import { writeJson } from './json-response.ts';

/** A list becomes one line for each of its values. */
export type ResponseHeaders = Record<string, string | number | string[]>;

export interface ServedResponse {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
}

/** The result of a route: a JSON value, or a finished response. */
export type Reply =
  | { kind: 'json'; value: unknown; status: number; headers?: ResponseHeaders }
  | { kind: 'response'; response: ServedResponse };

export function toResponse(reply: Reply): ServedResponse {
  if (reply.kind === 'response') return reply.response;
  const headers = { 'content-type': 'application/json', vary: 'Accept', ...reply.headers };
  return { status: reply.status, headers, body: Buffer.from(writeJson(reply.value)) };
}

/** Returns the headers that are sent with a response. */
export function wireHeaders({ status, headers, body }: ServedResponse): ResponseHeaders {
  const hasNoBody = status === 204 || status === 304;
  return hasNoBody ? headers : { 'content-length': body.length, ...headers };
}

export function sendResponse(response: ServerResponse, served: ServedResponse): void {
  response.writeHead(served.status, wireHeaders(served));
  response.end(served.body);
}

/** Creates a JSON error in the form of Django REST framework. */
export function detail(status: number, text: string, headers: ResponseHeaders = {}): Reply {
  return { kind: 'json', value: { detail: text }, status, headers };
}

/** Creates a web page, as a server in front of the API sends it. */
export function htmlPage(status: number, text: string): ServedResponse {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(`<!doctype html>\n<title>${text}</title>\n<h1>${text}</h1>\n`),
  };
}
