import { type Article, isDraft, type ListedArticle } from '../client/article.ts';
import { problemsOf } from '../client/article-problems.ts';
import type { ArticlesClient, CallOptions } from '../client/client.ts';
import { idFault } from '../client/urls.ts';
import { type ArticleProblem, ArticlesError, InvalidArticlesError } from '../errors.ts';
import { systemClock } from '../shared/clock.ts';
import { type LiveArticle, toLiveArticle } from './live-entry.ts';
import { readRows } from './live-listing.ts';
import {
  type ArticleFilter,
  type ArticlesFilter,
  connect,
  type LiveArticlesOptions,
  type LiveSettings,
  parseArticleFilter,
  parseArticlesFilter,
  parseLiveOptions,
} from './live-options.ts';

export * from '../client/client-errors.ts';
export type { LiveArticle } from './live-entry.ts';
export type { ArticleFilter, ArticlesFilter, LiveArticlesOptions } from './live-options.ts';
export { type LiveArticleData, liveArticleSchema } from './live-schema.ts';

/** A part of the listing, newest or oldest first as the service lists. */
export interface LiveArticles {
  entries: LiveArticle[];
  cacheHint: { tags: string[] };
}

/** Astro's `LiveLoader`, in words of our own: its types would bring Node's along. */
export interface LiveArticlesLoader {
  name: string;
  loadEntry: (context: {
    filter: ArticleFilter;
    collection: string;
  }) => Promise<LiveArticle | undefined | { error: ArticlesError }>;
  loadCollection: (context: {
    filter?: ArticlesFilter;
    collection: string;
  }) => Promise<LiveArticles | { error: ArticlesError }>;
}

/** What one load works with. */
interface Load {
  client: ArticlesClient;
  call: CallOptions;
  settings: LiveSettings;
  collection: string;
}

/**
 * A loader for Astro's live collections: articles are asked for when a page is rendered. It needs
 * nothing but `fetch` and Web Crypto, so it runs wherever Astro does. What goes wrong later than
 * here is returned as `error`.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function liveArticlesLoader(options: LiveArticlesOptions): LiveArticlesLoader {
  const settings = parseLiveOptions(options);

  /** Gives a load its client and its time, and ends what is still under way when it is over. */
  async function load<T>(
    collection: string,
    task: (load: Load) => Promise<T>,
  ): Promise<T | { error: ArticlesError }> {
    const over = new AbortController();
    try {
      const client = connect(settings);
      const deadline = systemClock.now() + settings.totalTimeout;
      return await task({
        client,
        call: { signal: over.signal, deadline },
        settings,
        collection,
      });
    } catch (error) {
      if (ArticlesError.is(error)) return { error };
      throw error;
    } finally {
      over.abort();
    }
  }

  return {
    name: 'astro-articles-live',
    loadEntry: ({ filter, collection }) =>
      load(collection, (current) => loadEntry(parseArticleFilter(filter).id, current)),
    loadCollection: ({ filter, collection }) =>
      load(collection, (current) => loadCollection(parseArticlesFilter(filter), current)),
  };
}

async function loadEntry(id: string, load: Load): Promise<LiveArticle | undefined> {
  // It comes from a reader's address bar, so it is unknown rather than wrong.
  if (idFault(id)) return undefined;
  // No page is removed for good by a 404 here, and anybody can ask for what there is not.
  const article = await load.client.getArticle(id, { ...load.call, confirmMissing: false });
  return article && show(article, load);
}

async function loadCollection(
  filter: { limit: number; offset: number },
  load: Load,
): Promise<LiveArticles> {
  const { listed, problems: faultyRows } = await readRows(load.client, filter, load.call);
  const taken = await each(listed, (row) => take(row, load));
  // Rendered only now: it would hold up answers that are on their way, until their time is over.
  const shown = await each(taken.values, (article) => show(article, load));
  const problems = [...faultyRows, ...taken.problems, ...shown.problems];
  const isFailure = load.settings.onInvalid === 'fail' || shown.values.length === 0;
  if (problems.length > 0 && isFailure) {
    throw new InvalidArticlesError(problems, {
      hint: 'Mend the article, or leave such articles out with `onInvalid: "keep"`.',
    });
  }
  return { entries: shown.values, cacheHint: { tags: [load.collection] } };
}

/** A row that holds the whole article is taken as it is: a page waits for it. */
async function take({ id, article }: ListedArticle, { client, call }: Load) {
  return article ?? client.getArticle(id, call);
}

/** Takes one step with each article: one that cannot be used does not stop the others. */
async function each<T extends { id: string }, R>(
  articles: readonly T[],
  step: (article: T) => Promise<R | undefined>,
): Promise<{ values: R[]; problems: ArticleProblem[] }> {
  const outcomes = await Promise.all(
    articles.map((article) =>
      step(article).then(
        (value) => ({ value, problems: [] }),
        (error) => ({ value: undefined, problems: problemsOf(error, article.id) }),
      ),
    ),
  );
  return {
    values: outcomes.flatMap(({ value }) => (value === undefined ? [] : [value])),
    problems: outcomes.flatMap(({ problems }) => problems),
  };
}

async function show(
  article: Article,
  { client, settings, collection }: Load,
): Promise<LiveArticle | undefined> {
  if (settings.drafts === 'skip' && isDraft(article)) return undefined;
  return toLiveArticle(article, { collection, base: client.baseUrl, sanitize: settings.sanitize });
}
