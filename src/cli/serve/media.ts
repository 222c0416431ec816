import { readFile, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answer, entityTag, htmlPage, matchesTag, notModified } from './answer.ts';
import type { Settings } from './serve-options.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Answers with an image of the media folder. `file` leads down only: the route made sure of it. */
export async function mediaAnswer(
  file: string,
  headers: IncomingHttpHeaders,
  { mediaFolder, mediaMaxAge }: Pick<Settings, 'mediaFolder' | 'mediaMaxAge'>,
): Promise<Answer> {
  const folder = mediaFolder instanceof URL ? fileURLToPath(mediaFolder) : mediaFolder;
  const type = TYPES[extname(file).toLowerCase()];
  const found = type && (await readMedia(join(folder, file)));
  if (!found) return htmlPage(404, 'Not Found');

  const answer = {
    status: 200,
    headers: {
      'content-type': type,
      etag: entityTag(found.body),
      'last-modified': found.modified.toUTCString(),
      ...(mediaMaxAge === undefined ? {} : { 'cache-control': `max-age=${mediaMaxAge}` }),
    },
    body: found.body,
  };
  return isUnchanged(headers, answer.headers.etag, found.modified) ? notModified(answer) : answer;
}

async function readMedia(path: string): Promise<{ body: Buffer; modified: Date } | undefined> {
  try {
    const { mtime } = await stat(path);
    return { body: await readFile(path), modified: mtime };
  } catch {
    return undefined;
  }
}

/** `If-None-Match` wins over `If-Modified-Since` (RFC 9110, 13.2.2), which counts whole seconds. */
function isUnchanged(headers: IncomingHttpHeaders, etag: string, modified: Date): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return matchesTag(tags, etag);

  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(modified.getTime() / 1000) * 1000 <= since;
}
