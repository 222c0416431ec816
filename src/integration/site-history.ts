import type { AstroConfig } from 'astro';
import { siteAt } from '../content/site-state.ts';
import { joinSome, quote } from '../messages.ts';
import type { Flags } from '../options/resolve-options.ts';
import { isUnpublished, type PublishedHistory, readPublished } from '../redirects/published.ts';
import type { Output } from './site-checks.ts';

/**
 * Returns what the site has published of collections that this build does not have. It is published again, so that a
 * collection that comes back, perhaps with another name, keeps its URLs.
 */
export async function absentHistories(
  site: AstroConfig,
  flags: Flags,
  { logger }: Pick<Output, 'logger'>,
): Promise<PublishedHistory> {
  const { slugs } = siteAt(site.root);
  const published = await publishedBefore(site, flags, { logger });
  if (!published && slugs.size > 0 && flags.ARTICLES_OFFLINE && !isUnpublished(site)) {
    logger.warn(
      'A build offline does not read the history of slugs that the site has published. If it is deployed, that history ' +
        `has only the slugs in the mirrors of ${joinSome([...slugs.keys()].map(quote))}.`,
    );
  }
  const absent = new Map([...(published ?? [])].filter(([name]) => !slugs.has(name)));
  if (absent.size > 0 && !flags.ARTICLES_ALLOW_REMOVAL) {
    logger.info(
      `The history of slugs keeps the slugs of ${joinSome([...absent.keys()].map(quote))}, which this build has not ` +
        'loaded, because they may come back. To remove them, set ARTICLES_ALLOW_REMOVAL=1 for one build.',
    );
  }
  return absent;
}

/** Returns the history that the loads have read from the site. A site without collections has no load, so this reads it. */
async function publishedBefore(
  site: AstroConfig,
  { ARTICLES_OFFLINE: isOffline }: Flags,
  { logger }: Pick<Output, 'logger'>,
): Promise<PublishedHistory | undefined> {
  const { integration, loads } = siteAt(site.root);
  if (integration?.published || loads > 0 || isOffline) return integration?.published;
  // A site whose articles are all rendered on demand has none.
  const quiet = { info() {}, warn: (line: string) => logger.warn(line) };
  return readPublished(site, { isBestEffort: true, logger: quiet });
}
