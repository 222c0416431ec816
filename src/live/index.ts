import { type Article, isDraft, type ListedArticle, withRowFields } from '../client/article.ts';
import { problemsOf } from '../client/article-problems.ts';
import type { ArticlesClient, CallOptions } from '../client/client.ts';
import { idProblem } from '../client/urls.ts';
import { type ArticleProblem, ArticlesError, InvalidArticlesError } from '../errors.ts';
import { systemClock } from '../shared/clock.ts';
import { type LiveArticle, toLiveArticle } from './live-entry.ts';
import { readPart } from './live-listing.ts';
import {
  type ArticleFilter,
  type ArticlesFilter,
  createLiveClient,
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

/** A part of the listing, in the order of the service. */
export interface LiveArticles {
  entries: LiveArticle[];
  cacheHint: { tags: string[] };
}

/** The same as Astro's `LiveLoader`, whose own types depend on those of Node. */
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

/** The client and the settings of one load. */
interface LiveLoad {
  client: ArticlesClient;
  call: CallOptions;
  settings: LiveSettings;
  collection: string;
}

/**
 * Returns a loader for Astro's live collections, which fetch articles when a page is rendered. It needs
 * only `fetch` and Web Crypto, so it runs wherever Astro does. Errors of a load are returned as `error`,
 * and each kind is logged once.
 *
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function liveArticlesLoader(options: LiveArticlesOptions): LiveArticlesLoader {
  const settings = parseLiveOptions(options);
  const logged = new Set<string>();

  /** Runs a load with its own client and deadline, and stops its requests at the end. */
  async function load<T>(
    collection: string,
    task: (load: LiveLoad) => Promise<T>,
  ): Promise<T | { error: ArticlesError }> {
    const abort = new AbortController();
    try {
      const client = createLiveClient(settings);
      const deadline = systemClock.now() + settings.totalTimeout;
      return await task({ client, call: { signal: abort.signal, deadline }, settings, collection });
    } catch (error) {
      if (!ArticlesError.is(error)) throw error;
      logOnce(error, collection);
      return { error };
    } finally {
      abort.abort();
    }
  }

  /** Logs an error, because a page may not show it, and the owner of the site needs to know. */
  function logOnce({ code, message, hint }: ArticlesError, collection: string): void {
    if (logged.has(code)) return;
    logged.add(code);
    const lines = [`[astro-articles] Live collection "${collection}": ${message}`];
    if (hint) lines.push(`Hint: ${hint}`);
    // biome-ignore lint/suspicious/noConsole: a live loader has no logger
    console.error(lines.join('\n').replaceAll('\n', '\n  '));
  }

  return {
    name: 'astro-articles-live',
    loadEntry: ({ filter, collection }) =>
      load(collection, (current) => loadEntry(parseArticleFilter(filter).id, current)),
    loadCollection: ({ filter, collection }) =>
      load(collection, (current) => loadCollection(parseArticlesFilter(filter), current)),
  };
}

async function loadEntry(id: string, load: LiveLoad): Promise<LiveArticle | undefined> {
  // The id may come from the URL of a page, so an id that no article can have is one that is not found.
  if (idProblem(id)) return undefined;
  // A 404 removes nothing here, and readers may request any URL, so it is not confirmed.
  const article = await load.client.getArticle(id, { ...load.call, confirmMissing: false });
  return article && toEntry(article, load);
}

async function loadCollection(
  filter: { limit: number; offset: number },
  load: LiveLoad,
): Promise<LiveArticles> {
  const { client, settings, call, collection } = load;
  const part = await readPart(filter, { client, apiKey: settings.apiKey, call });
  const fetched = await mapArticles(part.listed, load, fetchRow);
  // Not while fetching, because rendering blocks the processing of responses until they time out.
  const shown = await mapArticles(fetched.values, load, toEntry);
  const problems = [...part.problems, ...fetched.problems, ...shown.problems];
  const isFailure = settings.onInvalid === 'fail' || shown.values.length === 0;
  if (problems.length > 0 && isFailure) {
    throw new InvalidArticlesError(problems, {
      hint: 'Fix the article, or leave such articles out with `onInvalid: "keep"`.',
    });
  }
  // A webhook that names one article invalidates lists by their own tag, because it may be a new article.
  return { entries: shown.values, cacheHint: { tags: [collection, `${collection}/list`] } };
}

/** Fetches the article of a row. A row with all four fields is the article, because a reader waits. */
async function fetchRow(row: ListedArticle, { client, call }: LiveLoad) {
  if (row.article) return row.article;
  const article = await client.getArticle(row.id, call);
  return article && withRowFields(article, row);
}

/** Maps articles through an asynchronous step. The failure of one does not stop the others. */
async function mapArticles<T extends { id: string }, R>(
  articles: readonly T[],
  load: LiveLoad,
  step: (article: T, load: LiveLoad) => Promise<R | undefined>,
): Promise<{ values: R[]; problems: ArticleProblem[] }> {
  const probe = () => load.client.listPage({ limit: 1 }, load.call);
  const outcomes = await Promise.all(
    articles.map((article) =>
      step(article, load).then(
        (value) => ({ value, problems: [] }),
        async (error) => ({
          value: undefined,
          problems: await problemsOf(error, { id: article.id, probe }),
        }),
      ),
    ),
  );
  return {
    values: outcomes.flatMap(({ value }) => (value === undefined ? [] : [value])),
    problems: outcomes.flatMap(({ problems }) => problems),
  };
}

async function toEntry(
  article: Article,
  { client, settings, collection }: LiveLoad,
): Promise<LiveArticle | undefined> {
  const { drafts, sanitize, links } = settings;
  if (drafts === 'skip' && isDraft(article)) return undefined;
  return toLiveArticle(article, { collection, base: client.baseUrl, sanitize, links });
}
