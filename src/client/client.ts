import { ArticlesInvalidError, ArticlesRequestError } from '../errors.ts';
import { createRedact, requestHeaders } from '../http/api-key.ts';
import type { RequestSpec, Until } from '../http/attempt.ts';
import { readJson } from '../http/json.ts';
import { createRequester, type RequestCounts } from '../http/request.ts';
import { type Validators, validatorsOf } from '../http/validators.ts';
import { checkOptions } from '../shared/check-options.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { type Article, decodeArticle, decodeListed, keyAsId } from './article.ts';
import { type ArticlesClientOptions, clientSchema, listingPart } from './client-options.ts';
import { type ListingPage, readPage } from './listing/page.ts';
import type { SharePage } from './listing/share-pages.ts';
import { withSmallerPages } from './listing/smaller-pages.ts';
import { type Survey, survey } from './listing/survey.ts';
import { type NewestRows, type OnRows, walk, walkNewest } from './listing/walk.ts';
import { createApiUrls, idProblem } from './urls.ts';

export interface CallOptions {
  /** Aborts the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** The time limit of the call, in ms on the clock of `performance.now()`. @default now + `totalTimeout` */
  deadline?: number | undefined;
}

export interface ArticleOptions extends CallOptions {
  /** Whether a 404 response is confirmed by a second request, since a replica may lag behind. @default true */
  confirmMissing?: boolean | undefined;
}

export interface SurveyOptions extends CallOptions {
  /**
   * Ids that the caller has, in the order of an earlier listing. If one is missing, the listing is read again, to prove
   * that it is gone.
   */
  known?: Iterable<string> | undefined;
  /**
   * The number of rows to read, the newest ones. If the listing begins with the oldest, they are at its end, and the
   * listing needs a `count`. @default all
   */
  newest?: number | undefined;
  /** The order of the listing, for `newest`. @default 'newest-first' */
  order?: NewestRows['order'] | undefined;
  /** Called with the new rows of each page of each walk. A returned promise delays the next page. */
  onRows?: OnRows | undefined;
}

/** The requests of a client so far. */
export interface Traffic extends RequestCounts {
  /** The number of articles for which the service responded 304. */
  unchanged: number;
}

export interface ArticlesClient {
  /** The URL of the service. It ends with a slash. */
  baseUrl: URL;
  /**
   * Fetches one page of the listing (docs/reference/service.md): by default the first `pageSize` rows. If the service
   * responds 404 or 410 behind its last row, the page is empty.
   *
   * @throws {ArticlesRequestError}
   * @throws {ArticlesOptionsError} when `limit` or `offset` is out of range
   */
  listPage(query?: { limit?: number; offset?: number }, call?: CallOptions): Promise<ListingPage>;
  /**
   * Reads the listing, or its newest part, and reads it again if it changes meanwhile or an id of `known` is missing.
   *
   * @throws {ArticlesRequestError | ArticlesListingError}
   */
  survey(options?: SurveyOptions): Promise<Survey>;
  /**
   * Fetches one article (docs/reference/service.md). Returns `undefined` when the service responds 404 or 410.
   *
   * @throws {ArticlesRequestError} when every attempt fails
   * @throws {ArticlesInvalidError} when the id cannot be requested, or a field has a wrong type
   */
  getArticle(id: string, options?: ArticleOptions): Promise<Article | undefined>;
  /**
   * Fetches one article if it has changed since the response with these validators (RFC 9110, 13.1).
   *
   * @throws as `getArticle()`
   */
  getIfChanged(
    id: string,
    validators: Validators,
    options?: ArticleOptions,
  ): Promise<Article | 'unchanged' | undefined>;
  /** Returns the number of requests so far. */
  traffic(): Traffic;
}

const behindTheEnd: ListingPage = { rows: [], envelope: '(none)' };

/** The number of free retries of one article, while which all other requests wait. A listing has no such limit. */
const freeArticleRetries = 8;

/**
 * Creates a client for the service. It runs in every runtime with `fetch`.
 *
 * @param internals the clock, timers and random numbers, which tests replace; whether a 429 response uses up a retry (if
 *   not, the listing is requested until its time limit, and an article up to nine times); and how several clients
 *   share requests for equal pages
 * @throws {ArticlesOptionsError} when an option cannot be used. The key is not repeated.
 */
export function createArticlesClient(
  options: ArticlesClientOptions,
  internals: { clock?: Clock; countThrottled?: boolean; sharePage?: SharePage | undefined } = {},
): ArticlesClient {
  const settings = checkOptions(clientSchema, options, 'createArticlesClient()');
  const { apiKey, pageSize, concurrency, totalTimeout, maxBytes, query } = settings;
  const { clock = systemClock, countThrottled = false } = internals;
  const { sharePage = (_, send) => send() } = internals;
  const apiUrls = createApiUrls(settings.baseUrl);
  const headers = requestHeaders(apiKey);
  const redact = createRedact(apiKey);
  let unchanged = 0;
  const { request, traffic } = createRequester({
    ...settings,
    headers,
    redact,
    clock,
    fetch: settings.fetch ?? ((url, init) => fetch(url, init)),
    redirects: 'same-origin',
  });

  function until({ signal, deadline }: CallOptions): Until {
    return { signal, deadline: deadline ?? clock.now() + totalTimeout };
  }

  async function listPage(part: { limit?: number; offset?: number } = {}, call: CallOptions = {}) {
    const { limit = pageSize, offset } = checkOptions(listingPart, part, 'listPage()');
    const url = apiUrls.list({ limit, offset }, query);
    const freeRetries = countThrottled ? 0 : Number.POSITIVE_INFINITY;
    const spec = { url, maxBytes: maxBytes.page, freeRetries, read: readPage };
    const equal = { url: url.href, apiKey, maxBytes: maxBytes.page };
    const page = sharePage(equal, () => request(spec, until(call)));
    return offset === 0 ? page : ((await page.catch(undefinedIfMissing)) ?? behindTheEnd);
  }

  async function surveyListing({
    known = [],
    newest,
    order = 'newest-first',
    onRows,
    ...call
  }: SurveyOptions = {}) {
    const limits = until(call);
    const requestPage = withSmallerPages(async (query) => {
      const { rows, ...page } = await listPage(query, limits);
      const decode = (row: unknown, index: number) =>
        decodeListed(row, query.offset + index + 1, apiKey);
      return { ...page, rows: rows.map(decode) };
    });
    // Another cut moves the rows at which pages meet.
    const cuts = [pageSize, Math.ceil((pageSize * 2) / 3)];
    const newestRows = newest === undefined ? undefined : { newest, order };
    const walkOnce = (index: number) => {
      const walkOptions = { pageSize: cuts[index % 2] ?? pageSize, concurrency, onRows };
      return newestRows
        ? walkNewest(requestPage, newestRows, walkOptions)
        : walk(requestPage, walkOptions);
    };
    return survey(walkOnce, known, newestRows);
  }

  async function getIfChanged(id: string, validators: Validators, options: ArticleOptions = {}) {
    const { confirmMissing = true, ...call } = options;
    const reason = id === apiKey ? keyAsId : idProblem(id);
    if (reason) throw new ArticlesInvalidError([{ id: redact(id), field: 'id', reason }]);
    const spec: RequestSpec<Article | 'unchanged'> = {
      url: apiUrls.article(id),
      validators,
      maxBytes: maxBytes.article,
      freeRetries: countThrottled ? 0 : freeArticleRetries,
      read(body, response) {
        if (response.status === 304) return 'unchanged';
        const article = decodeArticle(readJson(body, response), id);
        const found = validatorsOf(response.headers);
        // They are stored, and a hostile service may send anything back.
        const isSafe = redact(JSON.stringify(found)) === JSON.stringify(found);
        return isSafe ? { ...article, validators: found } : article;
      },
    };
    const limits = until(call);
    const send = () => request(spec, limits).catch(undefinedIfMissing);
    const result = (await send()) ?? (confirmMissing ? await send() : undefined);
    if (result === 'unchanged') unchanged += 1;
    return result;
  }

  async function getArticle(id: string, options?: ArticleOptions) {
    const article = await getIfChanged(id, {}, options);
    return article === 'unchanged' ? undefined : article;
  }

  return {
    baseUrl: apiUrls.base,
    listPage,
    survey: surveyListing,
    getArticle,
    getIfChanged,
    traffic: () => ({ ...traffic(), unchanged }),
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ArticlesRequestError && error.code === 'not-found') return undefined;
  throw error;
}
