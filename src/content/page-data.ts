import type { LoaderContext } from 'astro/loaders';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { renderedContent } from '../render/body-images.ts';
import type { LoadedArticles } from '../sync/pipeline.ts';
import { mayExistAfter } from '../sync/removal.ts';
import type { Entry, EntrySet } from './entries.ts';
import { type BodyReader, type EditUrls, siteAt } from './site-state.ts';

/** A load whose entries are in Astro's store. */
export interface FinishedLoad {
  loaded: LoadedArticles;
  entrySet: EntrySet;
  mirror: Mirror;
  options: ResolvedOptions;
  /** Whether an entry was added, changed or removed. */
  hasChanged: boolean;
}

/** Records what pages and the integration need of a load: texts, slugs, and where articles are edited. */
export function recordPageData(
  { config, collection, watcher }: LoaderContext,
  load: FinishedLoad,
): void {
  const { loaded, mirror, options, hasChanged } = load;
  const { entries } = load.entrySet;
  const { bodies, slugs, editUrls } = siteAt(config.root);

  const [last, before] = (watcher && bodies.get(collection)) ?? [];
  bodies.delete(collection);
  if (options.bodies === 'mirror') {
    // A page of a dev server may have got its entries before this load.
    const earlier = hasChanged ? last : before;
    const reader = bodyReaderOf(load, () => {
      siteAt(config.root).bodyReads += 1;
    });
    bodies.set(collection, earlier ? [reader, earlier] : [reader]);
  }

  const articles = entries.map(({ version }) => version.article);
  slugs.set(collection, {
    current: new Map(entries.map(({ slug, version: { article } }) => [article.id, slug])),
    drafts: new Set(articles.filter(({ draft }) => draft).map(({ id }) => id)),
    mayExist: mayExistAfter(loaded, options),
    isPreview: options.drafts === 'include',
    isOffline: options.offline,
    mirror,
  });

  const { editUrl } = options;
  if (watcher && editUrl) editUrls.set(collection, editUrlsOf(entries, editUrl));
  else editUrls.delete(collection);
}

/** Returns the reader of a load's texts, for collections with `bodies: 'mirror'`. */
function bodyReaderOf({ loaded, entrySet }: FinishedLoad, onRead: () => void): BodyReader {
  // Drops `set`, which Astro's store keeps already.
  const entries = new Map(
    entrySet.entries.map(({ id, digest, version }) => [id, { digest, version }]),
  );
  return async ({ id, digest }) => {
    onRead();
    const entry = entries.get(id);
    // The entry may belong to a collection of the same name, of another site in this process.
    if (!entry || entry.digest !== digest) return undefined;
    const rendering = await loaded.preparer.renderingOf(entry.version);
    return { body: rendering.body, rendered: renderedContent(rendering, entrySet.fileOf) };
  };
}

function editUrlsOf(entries: readonly Entry[], editUrl: (id: string) => string): EditUrls {
  const articles = new Map(entries.map(({ id, version }) => [id, version.article.id]));
  const ofArticle = (id: string) => {
    const url = editUrl(id);
    // An id in a scheme such as `javascript:` would run.
    return /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : undefined;
  };
  const ofEntry = (id: string) => {
    const article = articles.get(id);
    return article === undefined ? undefined : ofArticle(article);
  };
  return { ofArticle, ofEntry };
}
