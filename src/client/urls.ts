import { ArticlesOptionsError } from '../errors.ts';
import { replacementCharacter } from '../http/body.ts';

/** The path of the listing below `baseUrl`. */
export const collectionPath = 'api/integrations/project/articles/';
const maxIdLength = 512;

/** Returns why an id cannot be requested; undefined when it can. */
export function idProblem(id: string): string | undefined {
  if (/^\.{0,2}$/.test(id)) return 'a URL cannot contain it as a path segment (RFC 3986, 5.2.4)';
  if (id.length > maxIdLength) return `it is longer than ${maxIdLength} characters`;
  if (/\p{Cc}/u.test(id)) return 'it contains a control character';
  if (!id.isWellFormed() || id.includes(replacementCharacter)) return 'it is not valid Unicode';
  return undefined;
}

/**
 * Parses the URL of the service: https, or http to a private host. A path is kept, and a slash added.
 *
 * @throws {ArticlesOptionsError} with the problem. The message does not contain a password in the URL.
 */
export function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  // A text that is not a URL may be the key, so it is not shown.
  if (!url || !/^https?:/.test(url.protocol)) {
    throw rejected('is not a URL that begins with https:// or http://', example);
  }
  if (url.username || url.password) {
    throw rejected(
      'contains a user name or password',
      'Leave them out. The service is accessed with its API key alone (ARTICLES_API_KEY).',
    );
  }
  if (url.search || url.hash) throw rejected('contains a query or a hash', example);
  if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
    throw rejected(
      `uses plain http: ${url.origin}`,
      `Use https://${url.host}${url.pathname}: with http, the network can read the API key. ` +
        'Plain http is allowed for private hosts only.',
    );
  }
  // An empty query or hash would leave its sign in the URL.
  return new URL(url.origin + url.pathname.replace(/\/?$/, '/'));
}

const example = 'Set it to the URL of the service, for example https://app.example.com.';

function rejected(problem: string, hint: string): ArticlesOptionsError {
  return new ArticlesOptionsError('invalid-options', `\`baseUrl\` ${problem}.`, { hint });
}

/** Returns whether a host is this machine. `URL` has already normalised other notations of 127.0.0.1. */
export function isLoopback(hostname: string): boolean {
  return /^(.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}

/** Returns whether a host is on this machine or in its network, where services usually have no certificate. */
function isPrivateHost(hostname: string): boolean {
  if (isLoopback(hostname)) return true;
  const isPrivateIpv4 = /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(hostname);
  const isUniqueLocalIpv6 = /\[f[cd][\da-f]{2}:/.test(hostname);
  const isLocalName = /^[^.\]]+$|\.(local|internal|test)$/.test(hostname);
  return isPrivateIpv4 || isUniqueLocalIpv6 || isLocalName;
}
