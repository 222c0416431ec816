import { type Article, withRowFields } from '../client/article.ts';
import type { ArticlesClient } from '../client/client.ts';
import { InvalidArticlesError } from '../errors.ts';
import { digestOf, type StoredArticle, storedArticle } from '../mirror/article-file.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { indexArticle, isShown } from './indexed-article.ts';
import type { ListedRow } from './list.ts';
import type { Renderer, Rendering } from './renderer.ts';
import type { ApplyTransform } from './transform.ts';

/** A version of an article, transformed and rendered. */
export interface PreparedVersion {
  /** The article in the mirror. */
  article: IndexedArticle;
  /** The article after `transform`. Absent when the site does not show it. */
  shown?: IndexedArticle;
  /** The content hash of its rendering; absent when the site does not show it, or without a renderer. */
  renderingHash?: string;
  /** The fields of the rendering, if this load rendered it. */
  fields?: Pick<Rendering, 'title' | 'description' | 'words' | 'extra' | 'dropped'>;
  /** The rendering, if this load rendered it and Astro's store needs its text. */
  rendering?: Rendering;
}

export interface PreparerOptions {
  mirror: Mirror;
  options: ResolvedOptions;
  /** Absent when the load makes no request. */
  client?: ArticlesClient | undefined;
  /** Absent when the load only fills the mirror. */
  renderer?: Renderer | undefined;
  transform?: ApplyTransform | undefined;
  deadline: number;
  signal: AbortSignal;
}

export type Preparer = ReturnType<typeof createPreparer>;

/** Fetches, stores and renders articles, one version at a time. */
export function createPreparer(load: PreparerOptions) {
  const { mirror, options, client, renderer, transform, deadline, signal } = load;

  /** Fetches an article and writes it to the mirror; undefined when the service does not have it. */
  async function fetchVersion(id: string, row?: ListedRow): Promise<FetchedVersion | undefined> {
    const fetched = await client?.getArticle(id, { signal, deadline });
    if (!fetched) return undefined;
    const article = row?.extra ? withRowFields(fetched, { extra: row.extra }) : fetched;
    const object = await mirror.writeArticle(article);
    const digest = digestOf(article);
    const matching = row?.digest === digest ? 'same' : undefined;
    return {
      article: indexArticle(article, { digest, object, row: matching }),
      text: storedArticle(article),
      notes: article.notes,
    };
  }

  /**
   * Transforms and renders a version, unless there is a current rendering of an earlier load.
   *
   * @throws {InvalidArticlesError} when it cannot be transformed or rendered, or its text is missing
   */
  async function prepareVersion(
    article: IndexedArticle,
    fetchedText?: StoredArticle,
  ): Promise<PreparedVersion> {
    signal.throwIfAborted();
    if (!transform) {
      if (!isShown(article, options)) return { article };
      if (!renderer) return { article, shown: article };
      const renderingHash = renderer.find(article);
      if (renderingHash) return { article, shown: article, renderingHash };
    }
    const { text, ...version } = await withText(article, fetchedText);
    const transformed = transform
      ? await transform(version.article, text)
      : { shown: version.article, text };
    if (!transformed || !isShown(transformed.shown, options)) return version;
    const { shown } = transformed;
    if (!renderer) return { ...version, shown };
    const renderingHash = renderer.find(shown);
    if (renderingHash) return { ...version, shown, renderingHash };
    const rendered = await renderer.render(shown, transformed.text);
    const { title, description, words, extra, dropped } = rendered.rendering;
    const fields = { title, description, words, extra, dropped };
    const prepared = { ...version, shown, renderingHash: rendered.hash, fields };
    return options.bodies === 'store' ? { ...prepared, rendering: rendered.rendering } : prepared;
  }

  /**
   * Reads the rendering of a version. If its file is missing or corrupt, the article is rendered again.
   *
   * @throws {InvalidArticlesError} when it cannot be rendered, or its text is missing
   */
  async function renderingOf({ article, shown, rendering }: PreparedVersion): Promise<Rendering> {
    const known = rendering ?? (shown && (await renderer?.read(shown)));
    if (known) return known;
    const again = await prepareVersion(article);
    const rendered = again.shown && (await renderer?.read(again.shown));
    if (rendered) return rendered;
    const reason = 'its HTML was rendered again, but could not be read from the cache';
    throw new InvalidArticlesError([{ id: article.id, reason }]);
  }

  /** Reads the text of an article. If its file is missing or corrupt, the article is fetched again. */
  async function withText(article: IndexedArticle, fetchedText?: StoredArticle) {
    const text = fetchedText ?? (await mirror.readArticle(article.object));
    if (text) return { article, text };
    const fetched = await fetchVersion(article.id);
    if (fetched) return fetched;
    throw new InvalidArticlesError([
      { id: article.id, reason: 'its file in the mirror is missing or corrupt' },
    ]);
  }

  return { fetchVersion, prepareVersion, renderingOf };
}

export interface FetchedVersion {
  article: IndexedArticle;
  text: StoredArticle;
  notes?: Article['notes'];
}
