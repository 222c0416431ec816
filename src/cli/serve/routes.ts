import { readQuery } from './served-listing.ts';

export type RequestKind = 'list' | 'article' | 'media' | 'other';

/** The resource that a path names. */
export type Route =
  | { kind: 'list'; offset: number | undefined; limit: number | undefined }
  | { kind: 'article'; id: string }
  | { kind: 'media'; file: string }
  | { kind: 'other'; location?: string };

const articlesPath = '/api/integrations/project/articles';
const mediaRoot = '/media/';

/**
 * Finds the route of a request target. The path is used verbatim, because a URL would resolve `..`.
 * A path without its last slash has the kind `other`, and the `location` to redirect to.
 */
export function findRoute(target: string, basePath = ''): Route {
  const [path, query] = splitTarget(target);

  for (const root of new Set([`${basePath}${mediaRoot}`, mediaRoot])) {
    if (path.startsWith(root)) return toMedia(path.slice(root.length));
  }

  const root = `${basePath}${articlesPath}`;
  if (!path.startsWith(root)) return { kind: 'other' };

  const rest = path.slice(root.length);
  if (rest === '/') return { kind: 'list', ...readQuery(new URLSearchParams(query)) };
  if (/^(?:\/[^/]+)?$/.test(rest)) {
    return { kind: 'other', location: `${path}/${query === '' ? '' : `?${query}`}` };
  }
  return toArticle(rest);
}

/** Returns the URL of a file of the media folder, relative to the service. */
export function mediaPath(file: string): string {
  return mediaRoot + file.split('/').map(encodeURIComponent).join('/');
}

/** Splits a request target into its path and its query, without the question mark. */
function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

function toArticle(rest: string): Route {
  const segment = /^\/([^/]+)\/$/.exec(rest)?.[1];
  const id = segment === undefined ? undefined : decode(segment);
  return id === undefined ? { kind: 'other' } : { kind: 'article', id };
}

/** Only plain names lead to a file, in any encoding: no hidden files, and none outside the folder. */
function toMedia(rest: string): Route {
  const names = rest.split('/').map(decode);
  const plain = names.every((name) => name !== undefined && /^[^./\\][^/\\]*$/.test(name));
  return plain ? { kind: 'media', file: names.join('/') } : { kind: 'other' };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
