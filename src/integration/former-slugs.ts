import type { AstroConfig } from 'astro';
import { siteAt } from '../content/site-state.ts';
import { messageOf } from '../messages.ts';
import {
  formerSlugs,
  type SlugHistory,
  withoutArticles,
  withPublished,
} from '../redirects/history.ts';
import { writePublished } from '../redirects/published.ts';
import { endingOf, writeRedirects } from '../redirects/write-redirects.ts';
import type { Output } from './site-checks.ts';

/**
 * Redirects the former URLs of articles, and adds what this build publishes to the history, in the site and in the
 * mirror.
 */
export async function redirectFormerSlugs(site: AstroConfig, output: Output): Promise<void> {
  const { dir, pages, routes, logger } = output;
  const { slugs } = siteAt(site.root);
  if (slugs.size === 0) return;
  const written = pages.filter(({ pathname }) => endingOf(dir, pathname) !== undefined);
  const segments = new Set(written.flatMap(({ pathname }) => pathname.split('/')));
  const history = new Map<string, SlugHistory>();
  const former = new Map<string, SlugHistory>();
  for (const [collection, { current, gone, isPreview, slugHistory, mirror }] of slugs) {
    // The title of an article without a page may not be public yet. Routes on demand do not show which ones they have.
    const shown = new Map([...current].filter(([, slug]) => segments.has(slug)));
    const all = isPreview ? slugHistory : withPublished(slugHistory, shown);
    const existing = withoutArticles(all, gone);
    history.set(collection, existing);
    try {
      mirror.writeSlugs(all);
    } catch (error) {
      // An offline build may have a mirror that it cannot write.
      logger.warn(`The slugs of this build could not be added to the mirror: ${messageOf(error)}`);
    }
    former.set(collection, formerSlugs(existing, shown));
  }
  const built = { dir, pages, routes, config: site };
  const { length } = await writeRedirects(former, built);
  if (length > 0) logger.info(`Redirects from former URLs of articles to their pages: ${length}.`);
  await writePublished(history, dir);
}
