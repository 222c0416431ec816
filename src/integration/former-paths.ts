import type { AstroConfig } from 'astro';
import { type ShownSlugs, siteAt } from '../content/site-state.ts';
import { joinSome, quote } from '../messages.ts';
import { bestEffort } from '../mirror/files.ts';
import type { Flags } from '../options/resolve-options.ts';
import { addBuild } from '../redirects/add-build.ts';
import { joinHistories, type PathHistory, withoutCopies } from '../redirects/history.ts';
import { findPages } from '../redirects/pages.ts';
import type { BuiltPages } from '../redirects/plan-redirects.ts';
import {
  isUnpublished,
  keyOf,
  ofCollection,
  readPublished,
  withCollection,
  writePublished,
} from '../redirects/published.ts';
import { trimSlashes } from '../redirects/route-paths.ts';
import { endingOf, writeRedirects } from '../redirects/write-redirects.ts';
import type { Output } from './site-checks.ts';

/** By name: what the load of a collection shows. */
type Collections = ReadonlyMap<string, ShownSlugs>;

/**
 * Adds the pages of this build to the history of paths, in the site and in the mirrors, and redirects the former URLs of
 * articles, unless `redirects` is off.
 */
export async function redirectFormerPaths(
  site: AstroConfig,
  output: Output,
  flags: Flags,
): Promise<void> {
  const { dir, pages, routes, logger } = output;
  const { slugs: collections, integration } = siteAt(site.root);
  const mayRemove = flags.ARTICLES_ALLOW_REMOVAL;
  const published = await publishedBefore(site, flags, output);
  const mirrors = [...collections].map(([name, { paths }]) => withCollection(paths, name));
  const joined = joinHistories(published, ...mirrors);
  const known = mayRemove ? withoutCopies(joined) : joined;
  const gone = goneArticles(collections);
  const isLoaded = ofCollections(collections, () => true);
  const isRemoved = (key: string) => gone.has(key) || (mayRemove && !isLoaded(key));

  const built = builtPages(output, collections, gone);
  // The title of a draft was never public.
  const isPreview = ofCollections(collections, (shown) => shown.isPreview);
  const added = new Map([...built.pages].filter(([key]) => !isPreview(key)));
  const next = addBuild({ published, known, isRemoved }, built, added);
  for (const [name, { mirror }] of collections) {
    // A build offline may have a mirror that it cannot write. What is published is enough for later builds.
    bestEffort(() => mirror.writePaths(ofCollection(next.all, name), { keepsCopies: !mayRemove }));
  }
  if (integration?.redirects !== false) {
    const { length } = await writeRedirects(next.redirects, { dir, pages, routes, config: site });
    if (length > 0)
      logger.info(`Redirects from former URLs of articles to their pages: ${length}.`);
  }
  if (collections.size > 0 || next.published.size > 0) await writePublished(next.published, dir);
}

/** Returns the pages of the articles that a build shows. */
function builtPages(
  { dir, pages, routes }: Output,
  collections: Collections,
  gone: ReadonlySet<string>,
): BuiltPages {
  const paths = pages
    .filter(({ pathname }) => endingOf(dir, pathname) !== undefined)
    .map(({ pathname }) => trimSlashes(pathname));
  // A page of the site, such as `about`, is not an article's.
  const fixed = routes.filter(({ params }) => params.length === 0);
  const ofSite = new Set(fixed.map(({ pattern }) => trimSlashes(pattern)));
  const articles = [...collections].flatMap(([collection, { current }]) =>
    [...current].map(([id, slug]) => ({ key: keyOf(collection, id), collection, slug })),
  );
  const shown = new Set(articles.map(({ key }) => key));
  const hasOlder = ofCollections(collections, (each) => each.hasOlder);
  const all = new Set(paths);
  return {
    pages: findPages(
      paths.filter((path) => !ofSite.has(path)),
      articles,
    ),
    isPage: (path) => all.has(path),
    // Routes on demand do not show which articles they have.
    isOnDemand: (key) => shown.has(key) || (hasOlder(key) && !gone.has(key)),
  };
}

function goneArticles(collections: Collections): Set<string> {
  return new Set(
    [...collections].flatMap(([name, { gone }]) => Array.from(gone, (id) => keyOf(name, id))),
  );
}

/** Returns a function that returns whether an article belongs to one of some collections. */
function ofCollections(
  collections: Collections,
  isMeant: (shown: ShownSlugs) => boolean,
): (key: string) => boolean {
  const meant = [...collections].filter(([, shown]) => isMeant(shown));
  const prefixes = meant.map(([name]) => keyOf(name, ''));
  return (key) => prefixes.some((prefix) => key.startsWith(prefix));
}

/** Returns what the site has published. The loads have read it; a site without collections has no load, so this reads it. */
async function publishedBefore(
  site: AstroConfig,
  { ARTICLES_OFFLINE: isOffline }: Flags,
  { logger }: Pick<Output, 'logger'>,
): Promise<PathHistory> {
  const { integration, loads, slugs } = siteAt(site.root);
  if (isOffline && slugs.size > 0 && !isUnpublished(site)) {
    logger.warn(
      'A build offline does not read the history of paths that the site has published. If it is deployed, that history ' +
        `has only the paths in the mirrors of ${joinSome([...slugs.keys()].map(quote))}.`,
    );
  }
  // A site whose articles are all rendered on demand has none.
  const quiet = { info() {}, warn: (line: string) => logger.warn(line) };
  const isRead = integration?.published || loads > 0 || isOffline;
  const history = isRead
    ? integration?.published
    : readPublished(site, { isBestEffort: true, logger: quiet });
  return (await history) ?? new Map();
}
