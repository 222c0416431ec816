import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { htmlPage, type ResponseHeaders, type ServedResponse } from './served-response.ts';

const types: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};
const headersOf304 = new Set(['etag', 'vary', 'cache-control', 'last-modified']);

/** Responds with an image of a folder. The route has made sure that `path` does not lead out of it. */
export async function mediaResponse(
  path: string,
  {
    folder,
    headers,
    maxAge,
  }: { folder: string; headers: IncomingHttpHeaders; maxAge?: number | undefined },
): Promise<ServedResponse> {
  const type = types[extname(path).toLowerCase()];
  const found = type && (await readMedia(join(folder, path)));
  if (!found) return htmlPage(404, 'Not Found');
  const etag = entityTag(found.body);
  const response = {
    status: 200,
    headers: {
      'content-type': type,
      etag,
      'last-modified': found.modified.toUTCString(),
      ...(maxAge === undefined ? {} : { 'cache-control': `max-age=${maxAge}` }),
    },
    body: found.body,
  };
  return isUnchanged(headers, { etag, modified: found.modified })
    ? notModified(response)
    : response;
}

async function readMedia(path: string): Promise<{ body: Buffer; modified: Date } | undefined> {
  try {
    const { mtime } = await stat(path);
    return { body: await readFile(path), modified: mtime };
  } catch {
    return undefined;
  }
}

/** `If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110, 13.2.2), which has whole seconds. */
function isUnchanged(
  headers: IncomingHttpHeaders,
  { etag, modified }: { etag: string; modified: Date },
): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return matchesTag(tags, etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(modified.getTime() / 1000) * 1000 <= since;
}

export function entityTag(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

/** Whether `If-None-Match` contains a tag, by the weak comparison of RFC 9110, 13.1.2. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

export function notModified({ headers }: { headers: ResponseHeaders }): ServedResponse {
  const kept = Object.entries(headers).filter(([name]) => headersOf304.has(name));
  return { status: 304, headers: Object.fromEntries(kept), body: Buffer.alloc(0) };
}
