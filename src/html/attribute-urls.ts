import { wordSet } from './kept-names.ts';

/** The base URLs of a document. */
export interface UrlBase {
  /** For images, videos and other media. */
  media: URL;
  /** For links. Absent: they stay relative. */
  links?: URL | undefined;
  /** For links to a place on the page itself. Absent: they stay relative. */
  page?: URL;
}

const mediaAttributes = wordSet('src srcset poster background');
const linkAttributes = wordSet('href action formaction cite data longdesc');
/**
 * Matches a path of a file of the service, which is in a folder and has an ending, or is an asset of Directus. Pages and feeds
 * are of the site.
 */
const serviceFile =
  /^\/(?:[^/?#]+\/[^?#]*\.(?!html?|xml)[a-z]\w{1,4}|assets\/[\da-f-]{36})(?:[?#]|$)/i;
const raster = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon)[;,]/i;

/** Returns the kind of URL that an attribute contains; undefined when it contains none. */
export function urlKind(tag: string, name: string): 'media' | 'link' | undefined {
  if (mediaAttributes.has(name) || (tag === 'image' && name === 'href')) return 'media';
  return linkAttributes.has(name) ? 'link' : undefined;
}

/**
 * Returns whether a URL is relative, or has a scheme that runs no script. Characters that a browser ignores
 * are ignored, and some more: those can hide a scheme, and never form one.
 */
export function isAllowedUrl(url: string, kind: 'media' | 'link'): boolean {
  const scheme = schemeOf(url);
  if (scheme === undefined || scheme === 'https' || scheme === 'http') return true;
  if (kind === 'media') return scheme === 'data' && raster.test(compactUrl(url));
  return scheme === 'mailto' || scheme === 'tel';
}

/** Returns the scheme of a URL, without the colon; undefined for a relative one. */
export function schemeOf(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*(?=:)/i.exec(compactUrl(url))?.[0].toLowerCase();
}

function compactUrl(url: string): string {
  return url.replace(/[\s\p{Cc}\p{Cf}]+/gu, '');
}

/**
 * Makes a URL absolute. One that is only a fragment stays relative, unless `page` is set. A link to a file of the service is
 * relative to `media` if `links` is absent.
 */
export function absoluteUrl(url: string, { media, links, page }: UrlBase, kind: string): string {
  if (url.startsWith('#')) return page && kind === 'link' ? page.href + url : url;
  const isFile = !links && serviceFile.test(url);
  const base = kind === 'media' || isFile ? media : links;
  if (!base || url === '' || URL.canParse(url)) return url;
  return URL.parse(url, base)?.href ?? url;
}

/** Maps the URLs of a `srcset` (HTML, 4.8.4.2.1), and removes candidates for which `map` returns undefined. */
export function mapSrcset(srcset: string, map: (url: string) => string | undefined): string {
  // A comma at the end of a URL ends the candidate, too.
  const candidates = [...srcset.matchAll(/([^\s,](?:\S*[^\s,])?)(\s[^,]*)?/g)];
  const kept = candidates.flatMap(([, url = '', descriptor = '']) => {
    const mapped = map(url);
    return mapped ? [mapped + descriptor.trimEnd()] : [];
  });
  return kept.join(', ');
}
