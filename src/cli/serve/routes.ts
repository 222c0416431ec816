/** The resource that a path names. */
export type Route =
  | { kind: 'list' }
  | { kind: 'article'; id: string }
  | { kind: 'media'; file: string }
  | { kind: 'other'; location?: string };

const articlesPath = '/api/integrations/project/articles';
const mediaRoot = '/media/';

/**
 * Finds the route of a request target. The path is used verbatim, because a URL would resolve `..`.
 * A path without its last slash has the kind `other`, and the `location` to redirect to.
 */
export function findRoute(target: string): Route {
  const [path = '', query] = target.split(/\?(.*)/s);
  if (path.startsWith(mediaRoot)) return toMedia(path.slice(mediaRoot.length));
  if (!path.startsWith(articlesPath)) return { kind: 'other' };
  const [, segment, slash] = /^(?:\/([^/]+))?(\/?)$/.exec(path.slice(articlesPath.length)) ?? [];
  if (slash === '') return { kind: 'other', location: `${path}/${query ? `?${query}` : ''}` };
  if (slash === undefined) return { kind: 'other' };
  if (segment === undefined) return { kind: 'list' };
  const id = decode(segment);
  return id === undefined ? { kind: 'other' } : { kind: 'article', id };
}

/** Returns the URL of a file of the media folder, relative to the service. */
export function mediaPath(file: string): string {
  return mediaRoot + file.split('/').map(encodeURIComponent).join('/');
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
