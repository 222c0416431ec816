import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { types } from 'node:util';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Reply, Send } from '../http/send.ts';

/** In bytes. Node's own limit of 16 KiB is less than some services and proxies send. */
const maxHeaderSize = 65_536;
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
 * Creates what sends requests with connections of its own, in less than half of the processor time of `fetch()`; the global
 * `fetch`, where the site has a dispatcher.
 *
 * @param lookupFor returns what resolves the host of a URL. It is called when a connection is opened, and not again while the
 *   connection is used, and never for an address.
 */
export function createSend(lookupFor?: (url: URL) => LookupFunction): Send {
  if (hasSiteDispatcher()) return (href, init) => fetch(href, init);
  const settings = { keepAlive: true, timeout: idleLimit };
  const plain = new http.Agent(settings);
  const secure = new https.Agent(settings);

  return async (href, { method = 'GET', headers, body, signal }) => {
    const url = new URL(href);
    if (url.username || url.password || blockedPorts.includes(url.port)) {
      throw new TypeError('its URL has a user name, a password, or a port of another protocol');
    }
    const isSecure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const options = {
      method,
      headers: { 'accept-encoding': 'gzip, br', ...headers },
      agent: isSecure ? secure : plain,
      maxHeaderSize,
      ...(signal && { signal }),
      ...(lookupFor && { lookup: lookupFor(url) }),
    };
    const request = (isSecure ? https : http).request(url, options, resolve);
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('it responded with another protocol'));
    });
    request.on('error', reject).end(body);
    return toReply(await promise);
  };
}

function toReply(response: http.IncomingMessage): Reply {
  const { statusCode: status = 0, headersDistinct } = response;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const isEmpty = status === 204 || status === 304 || headers.get('content-length') === '0';
  // The connection is used again if the response has been read.
  const body = isEmpty ? response.resume() && null : decode(response);
  return { status, headers, body };
}

/** Returns a decompressed body. */
function decode(response: http.IncomingMessage) {
  const encoding = response.headers['content-encoding']?.toLowerCase() || 'identity';
  if (encoding === 'identity') return response;
  const decoder = decoders.get(encoding)?.();
  // A reader of the body receives its errors. Without one, they would be uncaught.
  const ignore = () => undefined;
  if (decoder) return pipeline(response, decoder.on('error', ignore), ignore);
  return response.destroy(new Error(`it has the encoding ${encoding}`));
}
