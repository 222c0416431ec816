import type { AstroConfig } from 'astro';
import { siteAt } from '../content/site-state.ts';
import { bestEffort } from '../mirror/files.ts';
import type { Flags } from '../options/resolve-options.ts';
import { addBuild } from '../redirects/add-build.ts';
import { joinHistories, type PathHistory, withoutCopies } from '../redirects/history.ts';
import { findPages } from '../redirects/pages.ts';
import {
  isUnpublished,
  keyOf,
  ofCollection,
  readPublished,
  withCollection,
  writePublished,
} from '../redirects/published.ts';
import { trimSlashes } from '../redirects/route-paths.ts';
import { findWrittenPages, writeRedirects } from '../redirects/write-redirects.ts';
import type { Output } from './site-checks.ts';

/**
 * Adds the pages of this build to the history of paths, in the site and in the mirrors, and redirects the former URLs of
 * articles, unless `redirects` is off.
 */
export async function redirectFormerPaths(
  site: AstroConfig,
  output: Output,
  flags: Flags,
): Promise<void> {
  const { dir, routes, logger } = output;
  const { slugs: collections, integration } = siteAt(site.root);
  const mayRemove = flags.ARTICLES_ALLOW_REMOVAL;
  const published = await publishedBefore(site, flags, output);
  const mirrors = [...collections].map(([name, { paths }]) => withCollection(paths, name));
  const joined = joinHistories(published, ...mirrors);
  const known = mayRemove ? withoutCopies(joined) : joined;
  const loads = new Map([...collections].map(([name, load]) => [keyOf(name, ''), load]));
  /** Returns what the load of an article's collection shows; undefined if this build does not load it. */
  const loadOf = (key: string) => loads.get(key.slice(0, key.indexOf('/') + 1));
  const gone = new Set(
    [...collections].flatMap(([name, load]) => Array.from(load.gone, (id) => keyOf(name, id))),
  );
  const isRemoved = (key: string) => gone.has(key) || (mayRemove && !loadOf(key));

  const articles = [...collections].flatMap(([collection, { current }]) =>
    [...current].map(([id, slug]) => ({ key: keyOf(collection, id), collection, slug })),
  );
  const shown = new Set(articles.map(({ key }) => key));
  const pages = findWrittenPages(output);
  const built = {
    pages: findPages(withoutRoutes(pages.keys(), routes), articles),
    isPage: (path: string) => pages.has(path),
    // Routes on demand do not show which articles they have.
    isOnDemand: (key: string) =>
      shown.has(key) || (loadOf(key)?.isNewestOnly === true && !gone.has(key)),
  };
  // The title of a draft was never public.
  const added = new Map([...built.pages].filter(([key]) => !loadOf(key)?.isPreview));
  const next = addBuild({ published, known, isRemoved }, built, added);
  for (const [name, { mirror }] of collections) {
    // A build offline may have a mirror that it cannot write. What is published is enough for later builds.
    bestEffort(() => mirror.writePaths(ofCollection(next.all, name), { keepsCopies: !mayRemove }));
  }
  if (integration?.redirects !== false) {
    const { length } = await writeRedirects(next.redirects, { ...output, pages, config: site });
    if (length > 0)
      logger.info(`Redirects from former URLs of articles to their pages: ${length}.`);
  }
  if (collections.size > 0 || next.published.size > 0) await writePublished(next.published, dir);
}

/** Returns the paths that are not those of a page of the site, such as `about`, which is not an article's. */
function withoutRoutes(paths: Iterable<string>, routes: Output['routes']): string[] {
  const ofSite = new Set(routes.map(({ pattern }) => trimSlashes(pattern)));
  return [...paths].filter((path) => !ofSite.has(path));
}

/** Returns what the site has published. The loads have read it; a site without collections has no load, so this reads it. */
async function publishedBefore(
  site: AstroConfig,
  { ARTICLES_OFFLINE: isOffline }: Flags,
  { logger }: Output,
): Promise<PathHistory> {
  // A site whose articles are all rendered on demand has none.
  const quiet = { info() {}, warn: (line: string) => logger.warn(line) };
  const { published } = siteAt(site.root).integration ?? {};
  if (!isOffline) return published ?? readPublished(site, { isBestEffort: true, logger: quiet });
  if (!isUnpublished(site)) {
    logger.warn(
      'A build offline does not read the history of paths that the site has published. If it is deployed, that history ' +
        'has only the paths in the mirrors.',
    );
  }
  return new Map();
}
