import type { LoaderContext } from 'astro/loaders';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { renderedContent } from '../render/body-images.ts';
import type { LoadedArticles } from '../sync/pipeline.ts';
import { mayExistAfter } from '../sync/window.ts';
import type { EntrySet } from './entries.ts';
import { type BodyReader, siteAt } from './site-state.ts';

/** Lets `withBody()` read the texts of a collection with `bodies: 'mirror'`. */
export function registerBodies(
  { config, collection, watcher }: LoaderContext,
  {
    loaded,
    entrySet,
    options,
    hasChanged,
  }: { loaded: LoadedArticles; entrySet: EntrySet; options: ResolvedOptions; hasChanged: boolean },
): void {
  const site = siteAt(config.root);
  const { bodies } = site;
  const last = watcher && bodies.get(collection);
  const earlier = hasChanged ? last?.ofThisLoad : last?.ofEarlierLoad;
  bodies.delete(collection);
  if (options.bodies === 'store') return;
  // Drops `set`, which Astro's store keeps already.
  const entries = new Map(
    entrySet.entries.map(({ id, digest, version }) => [id, { digest, version }]),
  );
  const ofThisLoad: BodyReader = async ({ id, digest }) => {
    site.bodyReads += 1;
    const entry = entries.get(id);
    // The entry may belong to a collection of the same name, of another site in this process.
    if (!entry || entry.digest !== digest) return undefined;
    const rendering = await loaded.preparer.renderingOf(entry.version);
    return { body: rendering.body, rendered: renderedContent(rendering, entrySet.fileOf) };
  };
  // A page of a dev server may have got its entries before this load.
  const read: BodyReader = async (entry) => (await ofThisLoad(entry)) ?? earlier?.(entry);
  bodies.set(collection, Object.assign(read, { ofThisLoad, ofEarlierLoad: earlier }));
}

/** Records the slugs that the site shows, for redirects. */
export function recordSlugs(
  { config, collection }: LoaderContext,
  {
    loaded,
    entrySet: { entries },
    mirror,
    options,
  }: { loaded: LoadedArticles; entrySet: EntrySet; mirror: Mirror; options: ResolvedOptions },
): void {
  const articles = entries.map(({ version }) => version.article);
  siteAt(config.root).slugs.set(collection, {
    current: new Map(entries.map(({ slug, version: { article } }) => [article.id, slug])),
    drafts: new Set(articles.filter(({ draft }) => draft).map(({ id }) => id)),
    mayExist: mayExistAfter(loaded, options),
    isPreview: options.drafts === 'include',
    isOffline: options.offline,
    mirror,
  });
}

/** Records where the articles of a dev server are edited. */
export function recordEditUrls(
  { config, collection, watcher }: LoaderContext,
  { entries }: Pick<EntrySet, 'entries'>,
  { editUrl }: Pick<ResolvedOptions, 'editUrl'>,
): void {
  const { editUrls } = siteAt(config.root);
  editUrls.delete(collection);
  if (!watcher || !editUrl) return;
  const articles = new Map(entries.map(({ id, version }) => [id, version.article.id]));
  const ofArticle = (id: string) => webUrl(editUrl(id));
  const ofEntry = (id: string) => {
    const article = articles.get(id);
    return article === undefined ? undefined : ofArticle(article);
  };
  editUrls.set(collection, { ofArticle, ofEntry });
}

/** Returns a URL if it is one of the web, because an id in a scheme such as `javascript:` would run. */
function webUrl(text: string): string | undefined {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined;
}
