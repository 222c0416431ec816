import { type Article, withRowFields } from '../client/article.ts';
import type { ArticlesClient } from '../client/client.ts';
import { ArticlesInvalidError } from '../errors.ts';
import type { IndexedArticle } from '../mirror/index-file.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { digestOf, type StoredArticle, storedArticle } from '../mirror/stored-article.ts';
import type { ResolvedOptions } from '../options/options.ts';
import { indexArticle, isShown } from './indexed-article.ts';
import type { ListedRow } from './list.ts';
import { fieldsOf, type Renderer, type Rendering, type RenderingFields } from './renderer.ts';
import { summaryOf, validatorsFor } from './summary-rows.ts';
import type { ApplyTransform } from './transform.ts';

/** A version of an article, after `transform` and rendering. */
export interface PreparedVersion {
  /** The version in the mirror, with what is known of its rendering. */
  article: IndexedArticle;
  /** What `transform` returned. Absent when the site does not show the article. */
  shown?: IndexedArticle;
  /** The rendering, if this load made it; without its texts, if Astro's store does not need them. */
  made?: Rendering | RenderingFields;
}

export type ShownVersion = PreparedVersion & { shown: IndexedArticle };

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
export function createPreparer(preparerOptions: PreparerOptions) {
  const { mirror, options, client, renderer, transform, deadline, signal } = preparerOptions;

  /**
   * Fetches an article and writes it to the mirror; undefined when the service does not have it.
   *
   * @param known the version in the mirror, which is returned without its text if the service says that it is current
   */
  async function fetchVersion(
    row: ListedRow,
    known?: IndexedArticle,
  ): Promise<FetchedVersion | undefined> {
    const { updatedField } = options;
    const isStored = known && mirror.hasArticle(known.object);
    const validators = (isStored && validatorsFor(known, row, updatedField)) || {};
    const fetched = await client?.getIfChanged(row.id, validators, { signal, deadline });
    if (!fetched) return undefined;
    if (fetched === 'unchanged') return known && { article: provenBy(row, known) };
    const article = withRowFields(fetched, row);
    const object = await mirror.writeArticle(article);
    const digest = digestOf(article);
    const matching = row.digest === digest ? 'same' : undefined;
    return {
      article: indexArticle(article, {
        digest,
        object,
        row: matching,
        summary: matching ? undefined : summaryOf(fetched, row, updatedField),
      }),
      text: storedArticle(article),
      notes: article.notes,
    };
  }

  /**
   * Transforms and renders a version, unless there is a current rendering of an earlier load.
   *
   * @throws {ArticlesInvalidError} when it cannot be transformed or rendered, or its text is missing
   */
  async function prepareVersion(
    article: IndexedArticle,
    fetchedText?: StoredArticle,
  ): Promise<PreparedVersion> {
    signal.throwIfAborted();
    // Without `transform`, most versions need no text.
    const known = transform ? undefined : await withoutRendering(article, article);
    if (known) return known;
    const stored = await withText(article, fetchedText);
    const transformed = transform
      ? await transform(stored.article, stored.text)
      : { shown: stored.article, text: stored.text };
    if (!transformed) return { article: stored.article };
    const { shown, text } = transformed;
    return (await withoutRendering(stored.article, shown)) ?? render(stored.article, shown, text);
  }

  /** Returns a version that needs no rendering, or has a current one of an earlier load. */
  async function withoutRendering(
    article: IndexedArticle,
    shown: IndexedArticle,
  ): Promise<PreparedVersion | undefined> {
    if (!isShown(shown, options)) return { article };
    if (!renderer) return { article, shown };
    const hash = renderer.find(shown);
    if (!hash) return undefined;
    if (article.rendering?.hash === hash) return { article, shown };
    const rendering = await renderer.read(shown);
    return rendering && { article: withFacts(article, { hash, rendering }), shown };
  }

  async function render(
    article: IndexedArticle,
    shown: IndexedArticle,
    text: StoredArticle,
  ): Promise<PreparedVersion> {
    if (!renderer) return { article, shown };
    const { hash, rendering } = await renderer.render(shown, text);
    const made = options.bodies === 'store' ? rendering : fieldsOf(rendering);
    return { article: withFacts(article, { hash, rendering }), shown, made };
  }

  /**
   * Reads the rendering of a version. If its file is missing or corrupt, the article is rendered again.
   *
   * @throws {ArticlesInvalidError} when it cannot be rendered, or its text is missing
   */
  async function renderingOf({ article, shown, made }: ShownVersion): Promise<Rendering> {
    if (made && 'html' in made) return made;
    const known = await renderer?.read(shown);
    if (known) return known;
    const again = await prepareVersion(article);
    const rendered = again.shown && (await renderer?.read(again.shown));
    if (rendered) return rendered;
    const reason = 'its HTML was rendered again, but could not be read from the cache';
    throw new ArticlesInvalidError([{ id: article.id, reason }]);
  }

  /** Reads the text of an article. If its file is missing or corrupt, the article is fetched again. */
  async function withText(article: IndexedArticle, fetchedText?: StoredArticle) {
    const text = fetchedText ?? (await mirror.readArticle(article.object));
    if (text) return { article, text };
    const fetched = await fetchVersion({ id: article.id });
    if (fetched?.text) return { ...fetched, text: fetched.text };
    throw new ArticlesInvalidError([
      { id: article.id, reason: 'its file in the mirror is missing or corrupt' },
    ]);
  }

  return { fetchVersion, prepareVersion, renderingOf };
}

/** Returns an article with what later loads have to know of its rendering, so that they need not read it. */
function withFacts(
  article: IndexedArticle,
  { hash, rendering: { images, dropped } }: { hash: string; rendering: Rendering },
): IndexedArticle {
  return { ...article, rendering: { hash, images: images.map(({ url }) => url), dropped } };
}

/** Records that the row equals an article that has not changed, so that later loads do not request it. */
function provenBy(row: ListedRow, known: IndexedArticle): IndexedArticle {
  if (row.digest !== known.digest) return known;
  const { summary: _, ...article } = known;
  return { ...article, row: 'same' };
}

export interface FetchedVersion {
  article: IndexedArticle;
  /** Absent when the version in the mirror is current. */
  text?: StoredArticle | undefined;
  notes?: Article['notes'];
}
