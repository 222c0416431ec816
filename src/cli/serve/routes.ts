import { readAsked } from './served-listing.ts';

export type RequestKind = 'list' | 'article' | 'media' | 'other';

/** Where a path leads. */
export type Route =
  | { kind: 'list'; offset: number | undefined; limit: number | undefined }
  | { kind: 'article'; id: string }
  | { kind: 'media'; file: string }
  | { kind: 'other'; location?: string };

const ARTICLES = '/api/integrations/project/articles';
const MEDIA = '/media/';

/**
 * Finds the route of a request target. The path is taken as it was sent (a URL would fold `..`).
 * A path without its last slash is a route of kind `other` with the `location` to go to.
 */
export function findRoute(target: string, basePath: string): Route {
  const [path, query] = splitTarget(target);

  for (const root of new Set([`${basePath}${MEDIA}`, MEDIA])) {
    if (path.startsWith(root)) return toMedia(path.slice(root.length));
  }

  const root = `${basePath}${ARTICLES}`;
  if (!path.startsWith(root)) return { kind: 'other' };

  const rest = path.slice(root.length);
  if (rest === '/') return { kind: 'list', ...readAsked(new URLSearchParams(query)) };
  if (/^(?:\/[^/]+)?$/.test(rest)) {
    return { kind: 'other', location: `${path}/${query === '' ? '' : `?${query}`}` };
  }
  return toArticle(rest);
}

/** The address of a file of the media folder, relative to the service. */
export function mediaPath(file: string): string {
  return MEDIA + file.split('/').map(encodeURIComponent).join('/');
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

/** Only plain names lead to a file, whatever their encoding: nothing hidden, and no way out. */
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
