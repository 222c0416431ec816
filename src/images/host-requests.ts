import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import pLimit from 'p-limit';
import { redactNothing } from '../http/api-key.ts';
import type { Fetch, RequestSpec } from '../http/attempt.ts';
import { FailureError } from '../http/failure.ts';
import { createRequester, type RequesterOptions } from '../http/request.ts';
import type { Clock } from '../shared/clock.ts';
import { type ImageKind, imageType } from '../shared/image-kinds.ts';
import { userAgent } from '../shared/version.ts';

export interface HostRequestsOptions extends GuardOptions {
  /** The kinds of images to request. A host may send another one. */
  kinds: readonly ImageKind[];
  /** The site's own `fetch`, for URLs on the service's origin: they may need what it adds. */
  fetch?: Fetch | undefined;
  clock: Clock;
  deadline: number;
  signal: AbortSignal;
}

/** The time limit of one attempt in milliseconds, redirects included. */
export const timeout = 30_000;
/** Concurrent requests to all hosts, which usually serve other sites, too. */
const concurrency = 6;
const retry = { limit: 2, maxDelay: 30_000 };

/** Returns a function that sends requests for images, without the API key, and with a rate limit for each host. */
export function createHostRequests(options: HostRequestsOptions) {
  const { kinds, clock, deadline, signal } = options;
  const headers = {
    accept: [...kinds.map(imageType), 'image/*;q=0.8'].join(','),
    // Node's `fetch` accepts a gzip stream that was cut off.
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
  const limit = pLimit(concurrency);
  const hosts = new Map<string, ReturnType<typeof createRequester>>();
  // undici is loaded only when something has to be downloaded.
  let guarded: Promise<Fetch> | undefined;

  const settings: RequesterOptions = {
    async fetch(url, init) {
      // Each URL of a redirect, too.
      if (options.fetch && isOfService(new URL(url), options)) return options.fetch(url, init);
      guarded ??= createGuardedFetch(options);
      return (await guarded)(url, init);
    },
    ...{ headers, retry, timeout, clock, concurrency },
    redirects: 'any-origin',
    redact: redactNothing,
    quotes: false,
  };

  /** @throws {ArticlesRequestError} */
  return <T>(spec: RequestSpec<T>): Promise<T> => {
    const { host: name } = spec.url;
    const host = hosts.get(name) ?? createRequester(settings);
    hosts.set(name, host);
    return limit(() => host.request(spec, { deadline, signal }));
  };
}

export interface GuardOptions {
  /** The URL of the service. Its origin may have a private address. */
  baseUrl: URL;
  /** Hosts that may have a private address, each with its port unless that is the default one of the scheme. */
  allowedHosts: readonly string[];
  /** Resolves host names. @default the system's resolver */
  lookup?: LookupFunction | undefined;
}

/**
 * Creates a `fetch` that connects to public IP addresses only, except for trusted URLs: an article must
 * not make the build machine send requests inside its network (SSRF). It does not follow redirects, so
 * that each of their URLs is checked, too.
 *
 * It uses undici's own `fetch`, because the global one accepts only agents of the undici within Node.
 * Trusted URLs have an agent of their own, because an address is checked only when a connection opens,
 * and not again while the connection is reused.
 */
export async function createGuardedFetch(options: GuardOptions): Promise<Fetch> {
  const { lookup = systemLookup } = options;
  const undici = await import('undici');
  const createAgent = (connect: { lookup: LookupFunction }) =>
    // The variable of Node's own fetch. The proxy resolves names, and may itself have a private address.
    process.env.NODE_USE_ENV_PROXY === '1'
      ? new undici.EnvHttpProxyAgent({ connect })
      : new undici.Agent({ connect });
  const guarded = createAgent({ lookup: publicLookup(lookup) });
  const trusted = createAgent({ lookup });

  return async (href, { headers = {}, signal = null }) => {
    const url = new URL(href);
    const dispatcher = isTrusted(url, options) ? trusted : guarded;
    // The lookup, which checks addresses, is not called for a URL that contains one.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (dispatcher === guarded && isIP(host) && !isPublicAddress(host)) throw notPublic(url);
    try {
      const response = await undici.fetch(href, {
        headers: Object.fromEntries(new Headers(headers)),
        redirect: 'manual',
        signal,
        dispatcher,
      });
      // The types of undici and of the global `fetch` differ, and their members do not.
      return response as unknown as Response;
    } catch (error) {
      const isPrivate = error instanceof Error && error.cause instanceof PrivateAddress;
      throw isPrivate ? notPublic(url) : error;
    }
  };
}

/** Returns whether a URL may lead to a private address. A pattern, such as `*.example.com`, never allows one. */
function isTrusted(url: URL, { baseUrl, allowedHosts }: GuardOptions): boolean {
  const isNamed = (host: string) =>
    !host.includes('*') && URL.parse(`${url.protocol}//${host}`)?.href === `${url.origin}/`;
  return isOfService(url, { baseUrl }) || allowedHosts.some(isNamed);
}

function isOfService(url: URL, { baseUrl }: Pick<GuardOptions, 'baseUrl'>): boolean {
  return url.origin === baseUrl.origin;
}

class PrivateAddress extends Error {}

/** Wraps a lookup so that it fails unless all addresses of the host are public. */
function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses =
        typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new PrivateAddress(), '', 0);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Azure's platform endpoint: a public number that only machines in Azure reach, GitHub's runners included. */
const azurePlatform = '168.63.129.16';
const usedIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns whether an IP address is public: not private, local, reserved or multicast. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `process` converts an IPv4-mapped IPv6 address to the IPv4 one.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === azurePlatform) return false;
  return parsed.kind() === 'ipv4' || parsed.match(usedIpv6);
}

function notPublic({ host }: URL): FailureError {
  const reason = `${host} is not a public address; if the host is yours, add "${host}" to \`image.domains\` in astro.config`;
  return new FailureError({ code: 'refused', reason });
}
