import { ArticlesOptionsError } from '../errors.ts';

const collectionPath = 'api/integrations/project/articles/';
const maxIdLength = 512;

/** The addresses of the two endpoints (contract 4.1 and 4.2), both with their trailing slash. */
export interface Addresses {
  /** The service's address, ending in a slash. */
  base: URL;
  list(query: { limit: number; offset: number }): URL;
  article(id: string): URL;
}

/** @throws {ArticlesOptionsError} when `baseUrl` cannot be the address of a service. */
export function createAddresses(baseUrl: string): Addresses {
  const base = parseBaseUrl(baseUrl);
  const collection = new URL(collectionPath, base);

  return {
    base,
    list({ limit, offset }) {
      const url = new URL(collection);
      url.search = `limit=${limit}&offset=${offset}`;
      return url;
    },
    article(id) {
      const path = `${collection.pathname}${encodeURIComponent(id)}/`;
      const url = new URL(collection);
      url.pathname = path;
      // An id such as ".." is folded away by URL itself, encoded or not: ask for nothing else instead.
      if (url.pathname !== path || url.origin !== base.origin) {
        throw new TypeError(`The id ${JSON.stringify(id)} has no address.`);
      }
      return url;
    },
  };
}

/** Says why an id cannot be asked for, or nothing when it can. */
export function idFault(id: string): string | undefined {
  if (id === '') return 'it is empty';
  if (id === '.' || id === '..') return 'a URL cannot hold it as a path segment (RFC 3986, 5.2.4)';
  if (id.length > maxIdLength) return `it is longer than ${maxIdLength} characters`;
  if (!id.isWellFormed()) return 'it holds half of a surrogate pair';
  if (/\p{Cc}/u.test(id)) return 'it holds a control character';
  return undefined;
}

/**
 * Reads the service's address: https, or http on loopback; a path is kept, and a slash added.
 *
 * @throws {ArticlesOptionsError} naming what is wrong. A password in the address is not repeated.
 */
export function parseBaseUrl(baseUrl: string): URL {
  const reject = (problem: string, hint: string) =>
    new ArticlesOptionsError('invalid-options', `\`baseUrl\` ${problem}.`, { hint });
  const example = 'Give the address of the service, for example https://app.example.com.';

  const bare = /^[a-z\d-]+(\.[a-z\d-]+)+(:\d+)?(\/|$)/i.test(baseUrl);
  if (bare)
    throw reject(`${JSON.stringify(baseUrl)} lacks its scheme`, `Write https://${baseUrl}.`);
  // Not repeated: somebody may have given the key here by mistake.
  if (!URL.canParse(baseUrl)) throw reject('is not an absolute URL', example);
  const url = new URL(baseUrl);
  if (url.username || url.password) {
    throw reject(
      'holds a user name or password',
      'Leave them out: the service is asked with its API key alone (ARTICLES_API_KEY).',
    );
  }
  if (url.search || url.hash) {
    throw reject('holds a query or a hash', example);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw reject(`has the scheme ${JSON.stringify(url.protocol)}`, example);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw reject(
      `is plain http: ${url.origin}`,
      'Use https: over http anyone on the way can read the API key. Only loopback may use http.',
    );
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  if (url.pathname.includes(`/${collectionPath}`)) {
    throw reject(
      `already holds the path of the listing: ${url.href}`,
      `Leave out /${collectionPath}: it is added.`,
    );
  }
  return url;
}

/** URL has already turned every spelling of 127.0.0.1 into that one. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
