import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { types } from 'node:util';
import ipaddr from 'ipaddr.js';
import type { Fetch } from '../http/attempt.ts';
import { FailureError } from '../http/failure.ts';

export interface GuardOptions {
  /** The URL of the service. Its origin may have a private address. */
  baseUrl: URL;
  /** Hosts that may have a private address, each with its port, unless the port is the default of the scheme. */
  allowedHosts: readonly string[];
  /** Resolves host names. @default the system's resolver */
  lookup?: LookupFunction | undefined;
}

/**
 * Creates a `fetch` that connects to public IP addresses only, except for trusted URLs: an article must
 * not make the build machine send requests inside its network (SSRF). It does not follow redirects, so
 * that each of their URLs is checked, too.
 *
 * It uses undici's own `fetch`, because the global `fetch` accepts only agents of the undici within Node.
 * Trusted URLs have an agent of their own, because an address is checked only when a connection opens,
 * and not again while the connection is reused.
 */
export async function createGuardedFetch(options: GuardOptions): Promise<Fetch> {
  const { lookup = systemLookup } = options;
  if (hasSiteDispatcher()) return createCheckedFetch({ ...options, lookup });
  const { Agent, fetch } = await import('undici');
  const guarded = new Agent({ connect: { lookup: publicLookup(lookup) } });
  const trusted = new Agent({ connect: { lookup } });

  return async (href, { headers = {}, signal = null }) => {
    const url = new URL(href);
    const dispatcher = isTrusted(url, options) ? trusted : guarded;
    // The lookup, which checks addresses, is not called for a URL that contains one.
    const host = hostOf(url);
    if (dispatcher === guarded && isIP(host) && !isPublicAddress(host)) throw notPublic(url);
    try {
      const response = await fetch(href, {
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

/**
 * Returns whether Node's `fetch` connects with a dispatcher of the site: a proxy of the environment, or one that the site has
 * set. Node sets an `Agent` with the first request, so an `Agent` of the site is not recognised.
 */
function hasSiteDispatcher(): boolean {
  const [dispatcher] = [1, 2].flatMap(
    (version) => Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`)) ?? [],
  );
  // undici makes a `Proxy` of a dispatcher with interceptors.
  return dispatcher && (dispatcher.constructor.name !== 'Agent' || types.isProxy(dispatcher));
}

/**
 * Creates a `fetch` that connects with the dispatcher of the site, which decides where to connect. So the addresses of a name
 * are checked before each request. If this machine does not know a name, the proxy resolves it.
 */
function createCheckedFetch({
  lookup,
  ...options
}: GuardOptions & { lookup: LookupFunction }): Fetch {
  return async (href, { headers = {}, signal = null }) => {
    const url = new URL(href);
    const host = hostOf(url);
    if (!isTrusted(url, options)) {
      const addresses = isIP(host) ? [host] : await addressesOf(host, lookup);
      if (!addresses.every(isPublicAddress)) throw notPublic(url);
    }
    return fetch(href, { headers, redirect: 'manual', signal });
  };
}

/** Resolves a name; to no address, if it is unknown. */
function addressesOf(name: string, lookup: LookupFunction): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  lookup(name, { all: true }, (error, found) => {
    // Node calls back with an error alone.
    if (error) return resolve([]);
    resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
  });
  return promise;
}

/** Returns the host of a URL, as an address without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/[[\]]/g, '');
}

/** Returns whether a URL may lead to a private address. A pattern, such as `*.example.com`, never allows one. */
function isTrusted(url: URL, { baseUrl, allowedHosts }: GuardOptions): boolean {
  const isNamed = (host: string) =>
    !host.includes('*') && URL.parse(`${url.protocol}//${host}`)?.href === `${url.origin}/`;
  return isOfService(url, { baseUrl }) || allowedHosts.some(isNamed);
}

export function isOfService(url: URL, { baseUrl }: Pick<GuardOptions, 'baseUrl'>): boolean {
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
