import type { LoaderContext } from 'astro/loaders';
import type { SlugHistory } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { readPublishedHistory } from './published-history.ts';
import { siteAt } from './site-state.ts';

/** Matches hosts that no published site has: reserved names (RFC 2606, RFC 6761), and this machine. */
const unpublishedHost = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/;

/**
 * Returns the slugs that articles had before: from the mirror or, when a build starts without one, from the
 * history that an earlier build published with the site.
 */
export async function readSlugHistory(
  { config, collection }: LoaderContext,
  { mirror, options }: { mirror: Mirror; options: ResolvedOptions },
): Promise<{ slugHistory: SlugHistory; warning?: string }> {
  const { slugHistory } = mirror.index;
  const { integration } = siteAt(config.root);
  const hasRedirects = integration?.redirects && integration.command === 'build';
  const isNeeded = hasRedirects && slugHistory.size === 0;
  if (!isNeeded || options.offline || !config.site) return { slugHistory };
  const home = new URL(config.base, config.site);
  if (unpublishedHost.test(home.hostname)) return { slugHistory };

  const published = await readPublishedHistory(home, (url, init) => fetch(url, init));
  if (published.status === 'read') {
    return { slugHistory: published.history.get(collection) ?? slugHistory };
  }
  if (published.status === 'none') return { slugHistory };
  return {
    slugHistory,
    warning:
      `The former slugs of articles could not be read from ${published.url}: ${published.reason}. ` +
      'The former URLs of articles have no redirects in this build. If the site was never published, ' +
      'ignore this warning.',
  };
}
