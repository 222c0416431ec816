import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { writeJson } from './json-response.ts';

/** A list gives one line for each of its values. */
export type AnswerHeaders = Record<string, string | number | string[]>;

/** What goes on the wire, when nothing breaks it. */
export interface Answer {
  status: number;
  headers: AnswerHeaders;
  body: Buffer;
}

/** What a route says: a JSON value, or an answer of its own making. */
export type Reply = { json: unknown; status: number; headers?: AnswerHeaders } | { answer: Answer };

const SMALLEST_GZIP = 200;
const KEPT_BY_304 = new Set(['etag', 'vary', 'cache-control', 'last-modified']);

/** Turns a reply into the answer to one request: validators, 304 and compression. */
export function toAnswer(
  reply: Reply,
  headers: IncomingHttpHeaders,
  options: { gzip: boolean },
): Answer {
  if ('answer' in reply) return reply.answer;

  const body = Buffer.from(writeJson(reply.json));
  const plain = {
    status: reply.status,
    headers: { 'content-type': 'application/json', vary: 'Accept', ...reply.headers },
    body,
  };
  const etag = entityTag(body);
  const squeezed = options.gzip && body.length >= SMALLEST_GZIP && acceptsGzip(headers);
  const tagged = withHeaders(plain, { etag: squeezed ? `W/${etag}` : etag });

  if (reply.status === 200 && matchesTag(headers['if-none-match'], etag)) {
    return notModified(tagged);
  }
  return squeezed ? toGzip(tagged) : tagged;
}

/** The headers that go on the wire with an answer. */
export function wireHeaders({ status, headers, body }: Answer): AnswerHeaders {
  const bare = status === 204 || status === 304;
  return bare ? headers : { 'content-length': body.length, ...headers };
}

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, wireHeaders(answer));
  response.end(answer.body);
}

/** A JSON error as the framework words it. */
export function detail(status: number, text: string, headers: AnswerHeaders = {}): Reply {
  return { json: { detail: text }, status, headers };
}

/** A page for people, from in front of the API. */
export function htmlPage(status: number, text: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(`<!doctype html>\n<title>${text}</title>\n<h1>${text}</h1>\n`),
  };
}

export function notModified(answer: Answer): Answer {
  const kept = Object.entries(answer.headers).filter(([name]) => KEPT_BY_304.has(name));
  return { status: 304, headers: Object.fromEntries(kept), body: Buffer.alloc(0) };
}

export function entityTag(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

/** Whether `If-None-Match` names the tag, by the weak comparison of RFC 9110, 13.1.2. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Compresses an answer, unless it is compressed. */
export function toGzip(answer: Answer): Answer {
  if (answer.headers['content-encoding'] !== undefined) return answer;
  const packed = withHeaders(answer, {
    'content-encoding': 'gzip',
    vary: 'Accept, Accept-Encoding',
  });
  return { ...packed, body: gzipSync(answer.body) };
}

function withHeaders(answer: Answer, headers: AnswerHeaders): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
}
