import type { AstroConfig } from 'astro';
import { type ShownSlugs, siteAt } from '../content/site-state.ts';
import { quote } from '../messages.ts';
import { bestEffort } from '../mirror/files.ts';
import type { Flags } from '../options/resolve-options.ts';
import { continueHistory } from '../redirects/continue-history.ts';
import {
  formerSlugs,
  joinHistories,
  ofArticles,
  type SlugHistory,
  withoutArticles,
  withPublished,
} from '../redirects/history.ts';
import { type PublishedHistory, writePublished } from '../redirects/published.ts';
import { endingOf, writeRedirects } from '../redirects/write-redirects.ts';
import type { Output } from './site-checks.ts';
import { absentHistories } from './site-history.ts';

/**
 * Adds what this build publishes to the history, in the site and in the mirrors, and redirects the former URLs of
 * articles, unless `redirects` is off.
 */
export async function redirectFormerSlugs(
  site: AstroConfig,
  output: Output,
  flags: Flags,
): Promise<void> {
  const { dir, pages, routes, logger } = output;
  const { slugs, integration } = siteAt(site.root);
  const absent = await absentHistories(site, flags, output);
  const written = pages.filter(({ pathname }) => endingOf(dir, pathname) !== undefined);
  const segments = new Set(written.flatMap(({ pathname }) => pathname.split('/')));
  const histories = new Map<string, SlugHistory>();
  const former = new Map<string, SlugHistory>();
  for (const [collection, loaded] of slugs) {
    // The title of an article without a page may not be public yet. Routes on demand do not show which articles they
    // have.
    const shown = new Map([...loaded.current].filter(([, slug]) => segments.has(slug)));
    const known = knownHistory(collection, loaded, absent, output);
    const all = loaded.isPreview ? known : withPublished(known, shown);
    // A build offline may have a mirror that it cannot write. What is published is enough for later builds.
    bestEffort(() => loaded.mirror.writeSlugs(all));
    const existing = withoutArticles(all, loaded.gone);
    histories.set(collection, existing);
    // With `newest`, an article that was not loaded may have its page on demand.
    const owners = loaded.hasOlder ? existing : ofArticles(existing, loaded.current);
    former.set(collection, formerSlugs(owners, shown));
  }
  if (integration?.redirects !== false) {
    const { length } = await writeRedirects(former, { dir, pages, routes, config: site });
    if (length > 0)
      logger.info(`Redirects from former URLs of articles to their pages: ${length}.`);
  }
  const kept = flags.ARTICLES_ALLOW_REMOVAL ? [] : withoutTakenDown(absent, slugs);
  const published = new Map([...kept, ...histories]);
  if (published.size > 0) await writePublished(published, dir);
}

/** Returns the history of a collection, with the history of its former name. */
function knownHistory(
  collection: string,
  { slugHistory: own, current, gone }: ShownSlugs,
  absent: PublishedHistory,
  { logger }: Pick<Output, 'logger'>,
): SlugHistory {
  const { slugHistory, from } = continueHistory(withoutArticles(own, gone), current, absent);
  if (from !== undefined) {
    logger.info(
      `The collection ${quote(collection)} continues the history of slugs of ${quote(from)}, which this build does not have.`,
    );
  }
  return joinHistories(own, slugHistory);
}

/**
 * Leaves out of the histories of absent collections the articles that are gone: a collection that continues such a history
 * has the same articles, with the same slugs.
 */
function withoutTakenDown(
  absent: PublishedHistory,
  loaded: ReadonlyMap<string, ShownSlugs>,
): PublishedHistory {
  const isTakenDown = (id: string, slugs: ReadonlyMap<string, number>) =>
    [...loaded.values()].some(({ gone, slugHistory }) => {
      const own = slugHistory.get(id);
      return gone.has(id) && [...slugs.keys()].every((slug) => own?.has(slug));
    });
  return new Map(
    [...absent].map(([name, slugHistory]) => {
      const articles = [...slugHistory].filter(([id, slugs]) => !isTakenDown(id, slugs));
      return [name, new Map(articles)];
    }),
  );
}
