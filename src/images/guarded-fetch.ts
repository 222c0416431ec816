import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Fetch } from '../http/attempt.ts';
import { FailureError } from '../http/failure.ts';

export interface GuardOptions {
  /** Whether a URL may lead to a private address. */
  isTrusted: (url: URL) => boolean;
  /** Resolves host names. @default the system's resolver */
  lookup?: LookupFunction | undefined;
}

export interface GuardedFetch {
  fetch: Fetch;
  /** Closes the connections that were kept open. */
  close(): Promise<void>;
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
export async function createGuardedFetch(options: GuardOptions): Promise<GuardedFetch> {
  const { isTrusted, lookup = systemLookup } = options;
  const undici = await import('undici');
  const createAgent = (connect: { lookup: LookupFunction }) =>
    // The variable of Node's own fetch. The proxy resolves names, and may itself have a private address.
    process.env.NODE_USE_ENV_PROXY === '1'
      ? new undici.EnvHttpProxyAgent({ connect })
      : new undici.Agent({ connect });
  const guarded = createAgent({ lookup: publicLookup(lookup) });
  const trusted = createAgent({ lookup });

  return {
    async fetch(href, { headers = {}, signal = null }) {
      const url = new URL(href);
      const dispatcher = isTrusted(url) ? trusted : guarded;
      // The lookup, which checks addresses, is not called for a URL that contains one.
      const host = hostOf(url);
      if (dispatcher === guarded && isIP(host) !== 0 && !isPublicAddress(host)) {
        throw notPublic(host);
      }
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
        throw error instanceof Error && error.cause instanceof FailureError ? error.cause : error;
      }
    },

    async close() {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Wraps a lookup so that it fails unless all addresses of the host are public. */
function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses =
        typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(notPublic(hostname), '', 0);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Azure's platform endpoint: a public number that only machines in Azure reach, GitHub's runners included. */
const azurePlatform = '168.63.129.16';
const usedIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an IP address is public: not private, local, reserved or multicast. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `process` converts an IPv4-mapped IPv6 address to the IPv4 one.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === azurePlatform) return false;
  return parsed.kind() === 'ipv4' || parsed.match(usedIpv6);
}

function notPublic(host: string): FailureError {
  return new FailureError({
    code: 'refused',
    reason: `${host} is not a public address; add the host to \`images.allowPrivateHosts\` to allow it`,
  });
}
