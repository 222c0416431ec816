import * as http from 'node:http';
import * as https from 'node:https';
import { retryAfter } from '../client/http/retry.ts';
import { userAgent } from '../shared/version.ts';
import {
  isSpecialLiteral,
  lookupPublic,
  lookupPublicExcept,
  specialAddresses,
} from './public-address.ts';

/** What an image's server answered. */
export type ImageAnswer =
  | { status: 'unchanged'; headers: http.IncomingHttpHeaders }
  | { status: 'fetched'; headers: http.IncomingHttpHeaders; bytes: Uint8Array };

interface Again {
  transient?: boolean;
  throttled?: boolean;
  timedOut?: boolean;
  retryAfter?: number | undefined;
}

/** Why an image could not be had. */
export class ImageFault extends Error {
  /** Whether another try may help. */
  readonly transient: boolean;
  /** Whether the server asks everybody to slow down. */
  readonly throttled: boolean;
  /** Whether there was no answer within the time for it. */
  readonly timedOut: boolean;
  /** How long the server asked to wait, in ms. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    { transient = false, throttled = false, timedOut = false, retryAfter }: Again = {},
  ) {
    super(message);
    this.timedOut = timedOut;
    this.transient = transient;
    this.throttled = throttled;
    this.retryAfter = retryAfter;
  }
}

export interface ImageRequest {
  url: URL;
  /** Validators of the bytes we have, to be told when they are still right. */
  validators?: { etag?: string | undefined; lastModified?: string | undefined } | undefined;
  maxBytes: number;
  /** The time of day, for a server that says until when to wait. */
  date: number;
  signal: AbortSignal;
}

export interface ImageClient {
  /**
   * Asks for an image, without any key. Redirects are followed by hand, each to an address that is
   * allowed by itself.
   *
   * @throws {ImageFault}
   */
  request(image: ImageRequest): Promise<ImageAnswer>;
  /** Closes the connections that were kept open. */
  close(): void;
}

const maxHops = 5;

/** `isTrusted` says which URLs may be on a private address. */
export function createImageClient(
  isTrusted: (url: URL) => boolean,
  beforeRequest: () => void = () => undefined,
): ImageClient {
  const agents = createAgents();

  async function request(image: ImageRequest): Promise<ImageAnswer> {
    let { url } = image;
    for (let hop = 0; hop <= maxHops; hop++) {
      const trusted = isTrusted(url);
      if (!trusted && isSpecialLiteral(url.hostname)) throw notPublic(url);
      beforeRequest();
      const response = await send({ ...image, url }, agents.for(url, trusted)).catch((error) => {
        throw connectionFault(error, { ...image, url });
      });
      if (!isRedirect(response.statusCode)) return receive(response, image);
      response.destroy();
      url = redirectTarget(url, response.headers.location);
    }
    throw new ImageFault(`it redirects more than ${maxHops} times`);
  }

  return { request, close: agents.close };
}

/**
 * Connections to public hosts have agents of their own: an agent checks an address when it connects,
 * and never again for a socket that it kept.
 */
function createAgents() {
  const proxyEnv = process.env.NODE_USE_ENV_PROXY === '1' ? process.env : undefined;
  // A proxy may well have a private address. Its name is the only one that is looked up for it, and
  // what goes past the proxy (NO_PROXY) is looked up like everything else.
  const filter = proxyEnv
    ? { lookup: lookupPublicExcept(proxyHosts(proxyEnv)) }
    : { lookup: lookupPublic, blockList: specialAddresses };
  const create = (options: object) => ({
    'http:': new http.Agent({ keepAlive: true, ...options }),
    'https:': new https.Agent({ keepAlive: true, ...options }),
  });
  const open = create({ proxyEnv, ...filter });
  const trusting = create({ proxyEnv });
  return {
    for(url: URL, trusted: boolean): http.Agent {
      const pair = trusted ? trusting : open;
      return url.protocol === 'https:' ? pair['https:'] : pair['http:'];
    },
    close() {
      for (const pair of [open, trusting]) for (const agent of Object.values(pair)) agent.destroy();
    },
  };
}

function proxyHosts(env: NodeJS.ProcessEnv): Set<string> {
  const named = [env.HTTP_PROXY, env.HTTPS_PROXY, env.http_proxy, env.https_proxy];
  return new Set(named.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).hostname] : [])));
}

function send({ url, validators, signal }: ImageRequest, agent: http.Agent) {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const { request } = url.protocol === 'https:' ? https : http;
  const headers: http.OutgoingHttpHeaders = {
    accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8',
    // A gzip stream that is cut short would pass for a whole one.
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
  if (validators?.etag) headers['if-none-match'] = validators.etag;
  if (validators?.lastModified) headers['if-modified-since'] = validators.lastModified;
  request(url, { agent, headers, signal }, resolve)
    .on('error', reject)
    // Some answers, such as a 101, end in neither a response nor an error.
    .on('close', () => reject(new ImageFault('its server gave no answer', { transient: true })))
    .end();
  return promise;
}

async function receive(response: http.IncomingMessage, image: ImageRequest): Promise<ImageAnswer> {
  const { validators, maxBytes } = image;
  const { statusCode = 0, headers } = response;
  if (statusCode === 304 && (validators?.etag || validators?.lastModified)) {
    response.resume();
    return { status: 'unchanged', headers };
  }
  if (statusCode !== 200) {
    response.destroy();
    const throttled = statusCode === 429 || statusCode === 503;
    throw new ImageFault(`its server answered ${statusCode}`, {
      transient: statusCode >= 500 || statusCode === 408 || throttled,
      throttled,
      ...retryAfter(new Headers(waitHeaders(headers)), image.date),
    });
  }
  try {
    return { status: 'fetched', headers, bytes: await readAll(response, maxBytes) };
  } catch (error) {
    response.destroy();
    throw connectionFault(error, image);
  }
}

function waitHeaders({ date, 'retry-after': wait }: http.IncomingHttpHeaders) {
  return { ...(date ? { date } : {}), ...(wait ? { 'retry-after': wait } : {}) };
}

async function readAll(response: http.IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new ImageFault(`it is larger than ${maxBytes} bytes (\`images.maxBytes\`)`);
  if (Number(response.headers['content-length']) > maxBytes) throw tooLarge();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response) {
    size += part.byteLength;
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function isRedirect(status = 0): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirectTarget(from: URL, location: string | undefined): URL {
  if (!location || !URL.canParse(location, from)) {
    throw new ImageFault('it redirects without a usable Location');
  }
  const target = new URL(location, from);
  const downgrade = from.protocol === 'https:' && target.protocol === 'http:';
  if (downgrade || !/^https?:$/.test(target.protocol) || target.username || target.password) {
    throw new ImageFault(
      `it redirects to ${target.protocol}//${target.host}, which is not followed`,
    );
  }
  return target;
}

function connectionFault(error: unknown, { url, signal }: ImageRequest): ImageFault {
  if (error instanceof ImageFault) return error;
  const code: unknown = error instanceof Error && Reflect.get(error, 'code');
  if (code === 'ERR_IP_BLOCKED') return notPublic(url);
  if (signal.aborted) {
    return new ImageFault('it did not come in time (`images.timeout`)', {
      transient: true,
      timedOut: true,
    });
  }
  return new ImageFault(`the connection to ${url.host} failed (${String(code || 'unknown')})`, {
    transient: true,
  });
}

function notPublic(url: URL): ImageFault {
  return new ImageFault(
    `${url.hostname} is not a public address; name the host in \`images.allowPrivateHosts\` if it may be asked`,
  );
}
