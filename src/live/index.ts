import type { z } from 'zod/mini';
import { decodeListed, type ListedArticle, withRowFields } from '../client/article.ts';
import { noticesOfFailure } from '../client/client.ts';
import { largestPage } from '../client/client-options.ts';
import { idProblem } from '../client/urls.ts';
import { ArticlesError, ArticlesInvalidError, type Notice } from '../errors.ts';
import { createRedactLines } from '../http/api-key.ts';
import { renderWith } from '../render/markdown-settings.ts';
import { createSiteRenderer } from '../render/render-article.ts';
import { liveSizes } from '../render/sizes.ts';
import { checkOptions } from '../shared/check-options.ts';
import { systemClock } from '../shared/clock.ts';
import { listTags } from './cache-tags.ts';
import { type LiveArticle, toLiveArticle } from './live-entry.ts';
import { renderMarkdown } from './live-markdown.ts';
import {
  type ArticleFilter,
  type ArticlesFilter,
  articleFilterSchema,
  articlesFilterSchema,
  createLiveClient,
  type LiveArticlesOptions,
  type LiveLoad,
  liveLimits,
  liveSchema,
} from './live-options.ts';

export * from '../client/client-errors.ts';
export type { MarkdownSettings } from '../render/markdown-settings.ts';
export { idOf, slugOf } from '../shared/slug.ts';
export { cacheTags } from './cache-tags.ts';
export { type LiveArticle, type LiveArticleData, liveArticleSchema } from './live-entry.ts';
export type {
  ArticleFilter,
  ArticlesFilter,
  LiveArticlesOptions,
  OptionsOfBuilds,
} from './live-options.ts';

/**
 * Returns a loader for Astro's live collections, which fetch articles when a page is rendered. It needs
 * only `fetch` and Web Crypto, so it runs wherever Astro does. Errors of a load are returned as `error`,
 * and each kind is logged once.
 *
 * @param options the options of `articlesLoader()`, so that built and live pages can have one object, and `render`
 * @throws {ArticlesOptionsError} for an option that is unknown or out of range
 */
export function liveArticlesLoader(options: LiveArticlesOptions) {
  const settings = checkOptions(liveSchema, options, 'liveArticlesLoader()');
  const renderText = createSiteRenderer(
    settings.render ? renderWith(settings.render) : renderMarkdown,
    liveSizes,
  );
  const logged = new Set<string>();
  const redact = createRedactLines(settings.apiKey ? [settings.apiKey] : []);

  function logOnce(kind: string, text: string): void {
    // biome-ignore lint/suspicious/noConsole: a live loader has no logger
    if (!logged.has(kind)) console.error(`[astro-articles] ${text}`.replaceAll('\n', '\n  '));
    logged.add(kind);
  }

  /** Runs a load. Stops its requests at the end, and logs each kind of error once. */
  async function run<T>(
    collection: string,
    load: (context: LiveLoad) => Promise<T>,
  ): Promise<T | { error: ArticlesError }> {
    const abort = new AbortController();
    try {
      const deadline = systemClock.now() + liveLimits.totalTimeout;
      const call = { signal: abort.signal, deadline };
      const client = createLiveClient(settings);
      return await load({ client, call, settings, renderText, collection });
    } catch (error) {
      if (!ArticlesError.is(error)) {
        // Astro responds with an error, and prints nothing.
        const stack = String(Object(error).stack ?? error);
        logOnce('other', `Live collection "${collection}": ${redact(stack)}`);
        throw error;
      }
      error.redact(redact);
      const { code, message, hint } = error;
      // A page may not show it, and the owner of the site needs to know.
      logOnce(code, `Live collection "${collection}": ${message}\nHint: ${hint}`);
      return { error };
    } finally {
      abort.abort();
    }
  }

  // Astro's own type of a live loader would depend on the types of Node.
  return {
    name: 'astro-articles-live',
    // The service finds articles only by id.
    loadEntry: ({ filter, collection }: { filter: ArticleFilter; collection: string }) =>
      run(collection, async (load) => {
        const { id } = checkOptions(articleFilterSchema, filter, 'getLiveEntry()');
        // The id may come from the URL of a page, so an id that no article can have is not found, and not an error.
        if (idProblem(id)) return undefined;
        // A 404 removes nothing here, and readers may request any URL, so it is not confirmed.
        const article = await load.client.getArticle(id, { ...load.call, confirmMissing: false });
        return article && toLiveArticle(article, load);
      }),
    loadCollection: ({ filter, collection }: { filter?: ArticlesFilter; collection: string }) =>
      run(collection, async (load) => {
        const part = checkOptions(articlesFilterSchema, filter, 'getLiveCollection()');
        return loadArticles(part, load);
      }),
  };
}

/** The most rows that are read for each article that is requested. */
const maxRowsPerArticle = 32;

/**
 * Loads articles of the listing, in the order of the service. Rows that are left out do not count towards the limit,
 * unless there is an offset, because parts of the listing would then have articles in common.
 */
async function loadArticles(
  { limit, offset }: z.output<typeof articlesFilterSchema>,
  load: LiveLoad,
) {
  const { client, call, settings, collection } = load;
  const { apiKey = '' } = settings;
  const problems: Notice[] = [];
  const entries: LiveArticle[] = [];
  const seen = new Set<string>();
  const first = offset ?? 0;
  const end = first + limit * (offset === undefined ? maxRowsPerArticle : 1);
  let next = first;
  let isEnd = false;

  /** Returns the articles of the next rows, each once. */
  const decodeNext = (rows: readonly unknown[]) =>
    rows.flatMap((value) => {
      next += 1;
      const row = decodeListed(value, next, { apiKey });
      if ('problem' in row) problems.push(row.problem);
      if ('problem' in row || seen.has(row.id)) return [];
      seen.add(row.id);
      return row;
    });
  const probe = () => client.listPage({ limit: 1 }, call);
  const loadOrReport = (row: ListedArticle) =>
    loadRow(row, load).catch(async (error) => {
      problems.push(...(await noticesOfFailure(error, { id: row.id, probe })));
      return undefined;
    });

  while (entries.length < limit && next < end && !isEnd) {
    // The more rows were left out, the more are read at a time.
    const wanted = Math.min(limit - entries.length + next - first, end - next, largestPage);
    const page = await client.listPage({ limit: wanted, offset: next }, call);
    const found = seen.size + problems.length;
    const added = decodeNext(page.rows.slice(0, wanted));
    const isWhole = page.rows.length <= wanted;
    // A service that ignores `offset` returns the same rows again.
    const isKnown = found === seen.size + problems.length;
    isEnd = (page.more === false && isWhole) || isKnown || next === page.count;
    const loaded = await Promise.all(added.map(loadOrReport));
    entries.push(...loaded.filter((entry) => entry !== undefined));
  }
  // A list without some of its articles is more useful to a reader than none.
  if (problems.length > 0 && entries.length === 0) throw new ArticlesInvalidError(problems);
  return { entries: entries.slice(0, limit), cacheHint: { tags: listTags(collection) } };
}

/** Loads the article of a row. A row with all four fields is the article, because a reader waits. */
async function loadRow(row: ListedArticle, load: LiveLoad): Promise<LiveArticle | undefined> {
  const fetched = row.article ?? (await load.client.getArticle(row.id, load.call));
  return fetched && toLiveArticle(withRowFields(fetched, row), load);
}
