import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { types } from 'node:util';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Reply, Send } from '../http/send.ts';

/** In bytes. Node's own limit, 16 KiB unless a site raises it, is less than some services and proxies send. */
const maxHeaderSize = Math.max(http.maxHeaderSize, 65_536);
/** Milliseconds after which an unused connection is closed. Most servers do it after five seconds or later. */
const idleLimit = 4_000;
const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);
/** The ports that `fetch` refuses, because other protocols use them (https://fetch.spec.whatwg.org/#port-blocking). */
const blockedPorts = (
  '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 ' +
  '139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 ' +
  '1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
).split(' ');

/**
 * Returns whether Node's `fetch` connects with a dispatcher of the site: a proxy of the environment, or one that the site has
 * set. Node sets an `Agent` with the first request, so an `Agent` of the site is not recognised.
 */
export function hasSiteDispatcher(): boolean {
  const [dispatcher] = [1, 2].flatMap(
    (version) => Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`)) ?? [],
  );
  // undici makes a `Proxy` of a dispatcher with interceptors.
  return dispatcher && (dispatcher.constructor.name !== 'Agent' || types.isProxy(dispatcher));
}

/**
 * Creates a {@link Send} with connections of its own, which takes less than half of the processor time of `fetch()`. Where the
 * site has a dispatcher, it is the global `fetch`.
 *
 * @param lookupFor returns the resolver for the host of a URL. Node calls it when it opens a connection, and not again while
 *   the connection is used, and never for an address.
 */
export function createSend(lookupFor?: (url: URL) => LookupFunction): Send {
  if (hasSiteDispatcher()) return (href, init) => fetch(href, init);
  const settings = { keepAlive: true, timeout: idleLimit };
  const plain = new http.Agent(settings);
  const secure = new https.Agent(settings);

  return async (href, { method = 'GET', headers, body, signal }) => {
    signal?.throwIfAborted();
    const url = new URL(href);
    if (url.username || url.password) throw new TypeError('its URL has a user name or password');
    if (blockedPorts.includes(url.port))
      throw new TypeError(`${url.port} is a port of another protocol`);
    const isSecure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const options = {
      method,
      headers: { 'accept-encoding': 'gzip, br', ...headers },
      agent: isSecure ? secure : plain,
      maxHeaderSize,
      ...(lookupFor && { lookup: lookupFor(url) }),
    };
    const request = (isSecure ? https : http).request(url, options, resolve);
    // With the option `signal`, an abort at the end of a response is an error of the socket, which is then uncaught.
    signal?.addEventListener('abort', () => request.destroy(), { once: true });
    request.on('error', reject).end(body);
    return toReply(await promise, method);
  };
}

async function toReply(response: http.IncomingMessage, method: string): Promise<Reply> {
  const { statusCode: status = 0, headersDistinct } = response;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  if (hasBody && headers.get('content-length') !== '0')
    return { status, headers, body: decode(response, headers) };
  // The connection is used again if the end of the response has been read.
  for await (const _ of response);
  return { status, headers, body: null };
}

/** Returns a decompressed body. As with `fetch`, the name of no compression changes nothing. */
function decode(response: http.IncomingMessage, headers: Headers) {
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? '';
  const decoder = decoders.get(encoding)?.();
  // A reader of the body receives its errors. Without one, they would be uncaught.
  const ignore = () => undefined;
  if (decoder) return pipeline(response, decoder.on('error', ignore), ignore);
  const isCompressed = /deflate|zstd|compress|,/.test(encoding);
  return isCompressed ? response.destroy(new Error(`it has the encoding ${encoding}`)) : response;
}
