import type { HookParameters, IntegrationResolvedRoute } from 'astro';
import type { ShownSlugs } from '../content/site-state.ts';
import { ArticlesError } from '../errors.ts';
import { printable, quote } from '../messages.ts';
import { ownsPath, trimSlashes } from '../redirects/route-paths.ts';
import { idOf } from '../shared/slug.ts';

/** By collection: the slugs of the articles that its load shows. */
type Collections = ReadonlyMap<string, ShownSlugs>;

/** The output of a build. */
export interface Output
  extends Pick<HookParameters<'astro:build:done'>, 'dir' | 'pages' | 'logger'> {
  /** The routes of the site. */
  routes: readonly IntegrationResolvedRoute[];
}

/**
 * Checks that pages on demand can find each article by its URL when newer ones have taken its
 * place in `newest`: by its slug, or by a segment of the path that is its id.
 *
 * @throws {ArticlesError} `id-unreadable`
 */
export function checkSlugs(shown: Collections, { pages }: Pick<Output, 'pages'>): void {
  const newest = [...shown.values()].flatMap(({ current, isNewestOnly }) =>
    isNewestOnly ? [...current] : [],
  );
  const wrong = newest.filter(([id, slug]) => idOf(slug) !== id);
  const unreadable = new Map(wrong.map(([id, slug]) => [slug, id]));
  for (const { pathname } of pages) {
    const segments = pathname.split('/');
    const slug = segments.find((segment) => unreadable.has(segment)) ?? '';
    const id = unreadable.get(slug);
    if (id === undefined || segments.includes(id)) continue;
    throw new ArticlesError(
      'id-unreadable',
      `The page /${printable(pathname)} shows the article ${quote(id)}, whose id cannot be read from the slug ${quote(slug)}.`,
      {
        hint:
          'With `newest`, a page of an older article is rendered on demand, and has to find the article by its path. ' +
          'Use the id as another segment, for example src/pages/articles/[id]/[slug].astro, or remove `slug` in `transform`.',
      },
    );
  }
}

/**
 * Checks that no page of an article takes a path of the site, such as `/login`: hosts serve the built page instead.
 *
 * @throws {ArticlesError} `path-taken`
 */
export function checkPaths(
  shown: Collections,
  { pages, routes }: Pick<Output, 'pages' | 'routes'>,
): void {
  const articles = [...shown.values()].flatMap(({ current }) => [...current]);
  const owners = new Map(articles.map(([id, slug]) => [slug, id]));
  for (const { pathname } of pages) {
    const slugs = pathname.split('/').filter((segment) => owners.has(segment));
    const [slug] = slugs;
    if (slug === undefined) continue;
    const route = routes.find((each) => isTaken(each, pathname, slugs));
    if (!route) continue;
    const { type, pattern, entrypoint } = route;
    const taken =
      type === 'redirect' ? `the redirect ${quote(pattern)} of astro.config` : entrypoint;
    throw new ArticlesError(
      'path-taken',
      `The page /${printable(pathname)} of the article ${quote(owners.get(slug) ?? '')} has the path of ${taken}.`,
      {
        hint:
          `Hosts would serve the article instead. Change the slug ${quote(slug)} in the service or in \`transform\`, or ` +
          'give the pages of articles a path of their own, such as src/pages/articles/[slug].astro.',
      },
    );
  }
}

/** A slug that no route names, and that has the form of a derived slug. */
const anotherSlug = '~-~';

/**
 * Returns whether the page of an article takes a path of a route.
 *
 * @param slugs the segments of the path that are slugs of articles
 */
function isTaken(route: IntegrationResolvedRoute, path: string, slugs: readonly string[]): boolean {
  // Astro chooses between built pages with the same path, and names both.
  if (
    route.isPrerendered &&
    (route.params.length > 0 || trimSlashes(route.pattern) === trimSlashes(path))
  )
    return false;
  return slugs.every((slug) => {
    const other = path.split('/').map((segment) => (segment === slug ? anotherSlug : segment));
    return ownsPath(route, path, other.join('/'));
  });
}

/** Warns if the pages of the `newest` articles disappear when newer ones are published. */
export function checkOnDemand(shown: Collections, { pages, routes, logger }: Output): void {
  if (routes.some(mayShowArticles)) return;
  const segments = new Set(pages.flatMap(({ pathname }) => pathname.split('/')));
  const names = [...shown].flatMap(([name, { current, isNewestOnly }]) =>
    isNewestOnly && [...current.values()].some((slug) => segments.has(slug)) ? quote(name) : [],
  );
  if (names.length === 0) return;
  logger.warn(
    `With \`newest\`, only the newest articles of ${names.join(', ')} are built, and this site renders no page with a ` +
      'parameter on demand. When newer articles are published, the pages of the oldest ones disappear. Add an adapter ' +
      'and a page on demand: see node_modules/astro-articles/docs/guides/thousands.md.',
  );
}

/** Returns whether a route is a page of the site with a parameter on demand, so that each article may have one. */
function mayShowArticles({
  type,
  params,
  isPrerendered,
  origin,
}: IntegrationResolvedRoute): boolean {
  return type === 'page' && params.length > 0 && !isPrerendered && origin !== 'internal';
}
