import type { LoaderContext } from 'astro/loaders';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { readPublishedAddresses } from './published-addresses.ts';
import { siteAt } from './site-state.ts';

/** By article, every slug under which it was shown. */
type Addresses = Mirror['index']['addresses'];

/** Matches hosts that no published site has: reserved names (RFC 2606, RFC 6761), and this machine. */
const unpublishedHost = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/;

/**
 * Returns the slugs that articles had before: from the mirror or, when a build starts without one, from the
 * history that the last build published with the site.
 */
export async function addressHistory(
  { config, collection }: LoaderContext,
  { mirror, options }: { mirror: Mirror; options: ResolvedOptions },
): Promise<{ addresses: Addresses; warning?: string }> {
  const { addresses } = mirror.index;
  const { integration } = siteAt(config.root);
  const hasRedirects = integration?.redirects && integration.command === 'build';
  const isNeeded = hasRedirects && addresses.size === 0;
  if (!isNeeded || options.offline || !config.site) return { addresses };
  const home = new URL(config.base, config.site);
  if (unpublishedHost.test(home.hostname)) return { addresses };

  const published = await readPublishedAddresses(home, (url, init) => fetch(url, init));
  if (published.status === 'read') {
    return { addresses: published.history.get(collection) ?? addresses };
  }
  if (published.status === 'none') return { addresses };
  return {
    addresses,
    warning:
      `The former addresses of articles could not be read from ${published.url}: ${published.reason}. ` +
      'Former addresses get no redirects in this build. If the site was never published, there are none.',
  };
}
