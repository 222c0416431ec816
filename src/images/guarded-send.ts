import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { FailureError } from '../http/failure.ts';
import type { Send } from '../http/send.ts';
import { createSend, hasSiteDispatcher } from '../node/http-client.ts';

export interface GuardOptions {
  /** The URL of the service. Its origin may have a private address. */
  baseUrl: URL;
  /** Hosts that may have a private address, each with its port, unless the port is the default of the scheme. */
  allowedHosts: readonly string[];
  /** Resolves host names. @default the system's resolver */
  lookup?: LookupFunction | undefined;
}

/**
 * Creates a {@link Send} that connects to public IP addresses only, except for trusted URLs: an article must not make the build
 * machine send requests inside its network (SSRF). It does not follow redirects, so that each of their URLs is checked, too.
 *
 * Trusted URLs have connections of their own, because an address is checked only when a connection opens, and not again
 * while the connection is reused.
 */
export function createGuardedSend(options: GuardOptions): Send {
  const { lookup = systemLookup } = options;
  const isSentByFetch = hasSiteDispatcher();
  const trusted = createSend(() => lookup);
  const guarded = createSend((url) => publicLookup(url, lookup));

  return async (href, init) => {
    const url = new URL(href);
    if (isTrusted(url, options)) return trusted(href, init);
    const host = url.hostname.replace(/[[\]]/g, '');
    // No lookup is called for a URL that contains an address.
    if (isIP(host)) {
      if (!isPublicAddress(host)) throw notPublic(url);
    } else if (isSentByFetch) {
      // The dispatcher of the site opens the connection, so the addresses are checked before. A proxy may resolve a name
      // that this machine does not know.
      await promisify(publicLookup(url, lookup))(host, {}).catch((error) => {
        if (error instanceof FailureError) throw error;
      });
    }
    return guarded(href, init);
  };
}

/** Returns whether a URL may lead to a private address. A pattern, such as `*.example.com`, never allows one. */
function isTrusted(url: URL, { baseUrl, allowedHosts }: GuardOptions): boolean {
  const isNamed = (host: string) =>
    !host.includes('*') && URL.parse(`${url.protocol}//${host}`)?.href === `${url.origin}/`;
  return url.origin === baseUrl.origin || allowedHosts.some(isNamed);
}

/** Wraps a lookup so that it fails unless all addresses of the host of a URL are public. */
function publicLookup(url: URL, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses =
        typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(notPublic(url), '', 0);
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
