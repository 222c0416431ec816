import type { AstroConfig, HookParameters } from 'astro';
import { type ShownSlugs, siteAt } from '../content/site-state.ts';
import { messageOf } from '../errors.ts';
import { addSlugs, historyOf, joinHistories, type SlugHistory } from '../redirects/history.ts';
import type { ArticleSlugs } from '../redirects/plan-redirects.ts';
import type { SiteHistory } from '../redirects/published-history.ts';
import { fetchSiteHistory, homeOf, publishedSlugs } from '../redirects/site-history.ts';
import { writeHistory, writeRedirects } from '../redirects/write-redirects.ts';

type Logger = HookParameters<'astro:build:done'>['logger'];

/**
 * Reads the history that the site has published, before the build replaces it. Without a collection, or if all of
 * them are offline, no request is made.
 *
 * @throws {ArticlesError} `history-unavailable`
 */
export async function readHistory(
  { root, site, base }: AstroConfig,
  { mode, logger }: { mode: 'required' | 'best-effort'; logger: Logger },
): Promise<SiteHistory> {
  const collections = [...siteAt(root).slugs.values()];
  const home = homeOf({ site, base });
  if (!home || collections.every(({ isOffline }) => isOffline)) return new Map();
  return fetchSiteHistory(home, { mode, logger });
}

/**
 * Redirects the former URLs of articles, and publishes the history of slugs with the site. The mirror gets it, too:
 * it serves offline builds, and a site that lost its history.
 */
export async function redirectFormerSlugs(
  site: AstroConfig,
  {
    published,
    hasServer,
    dir,
    pages,
    logger,
  }: {
    published: SiteHistory;
    /** Whether the site renders pages on demand, so that each article may have one. */
    hasServer: boolean;
  } & Pick<HookParameters<'astro:build:done'>, 'dir' | 'pages' | 'logger'>,
): Promise<void> {
  const { slugs } = siteAt(site.root);
  if (slugs.size === 0) return;
  const collections = new Set(slugs.keys());
  const built = new Set(pages.flatMap(({ pathname }) => pathname.split('/')));
  const hasPage = (slug: string) => hasServer || built.has(slug);
  const articles: ArticleSlugs[] = [];
  const history = new Map<string, SlugHistory>();
  const others = new Map<string, SlugHistory>();
  for (const [name, shown] of slugs) {
    const { mayExist = () => false } = shown;
    const ids = [...shown.current.keys()];
    const known = publishedSlugs(published, name, { ids, mayExist, collections });
    const all = await record(shown, known, { hasPage, logger });
    for (const [id, slug] of shown.current) {
      articles.push({ slug, former: (all.get(id) ?? []).filter((other) => other !== slug) });
    }
    const isPublic = (id: string) => !shown.drafts.has(id);
    const older = [...all].filter(([id]) => mayExist(id));
    const renamed = older.flatMap(([id, slugs]) => (slugs.length > 1 ? id : []));
    history.set(name, historyOf(all, [...ids.filter(isPublic), ...renamed]));
    // Pages on demand redirect them, too, so of very many the history can do without these.
    others.set(name, new Map(older.filter(([, slugs]) => slugs.length === 1)));
  }
  const output = { dir, pages, root: site.root, config: site, adapter: site.adapter?.name };
  const redirects = await writeRedirects(articles, output);
  await writeHistory(history, dir, others);
  if (redirects.length > 0) {
    const count = redirects.length === 1 ? '1 redirect' : `${redirects.length} redirects`;
    logger.info(`Wrote ${count} from former URLs of articles to their current pages.`);
  }
}

/**
 * Adds the slugs that this build publishes to those in the mirror. A preview publishes none, and the title of an article
 * without a page may not be public yet.
 */
async function record(
  { current, drafts, isPreview, mirror }: ShownSlugs,
  known: SlugHistory,
  { hasPage, logger }: { hasPage: (slug: string) => boolean; logger: Logger },
): Promise<SlugHistory> {
  const isPublic = ([id, slug]: [string, string]) => !drafts.has(id) && hasPage(slug);
  const shown = new Map(isPreview ? [] : [...current].filter(isPublic));
  const published = addSlugs(known, shown);
  try {
    return addSlugs(await mirror.addSlugs(published), shown);
  } catch (error) {
    // An offline build may have a mirror that it cannot write.
    logger.warn(`The slugs of this build could not be added to the mirror: ${messageOf(error)}`);
    return joinHistories(mirror.slugs(), published);
  }
}
