import { ArticlesRequestError, InvalidArticlesError } from '../errors.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { type Article, decodeArticle, decodeListed, keyAsId } from './article.ts';
import { createRedact, requestHeaders } from './http/api-key.ts';
import type { Fetch, RequestSpec, Until } from './http/attempt.ts';
import { readJson } from './http/json.ts';
import { type AttemptEvent, createRequester, type Traffic } from './http/request.ts';
import type { RetryOptions } from './http/retry.ts';
import { type ListingPage, readPage } from './listing/page.ts';
import { withSmallerPages } from './listing/smaller-pages.ts';
import { type Survey, survey } from './listing/survey.ts';
import { type OnRows, walk } from './listing/walk.ts';
import { inRange } from './option-ranges.ts';
import { createApiUrls, idProblem } from './urls.ts';

export interface ArticlesClientOptions {
  /** The URL of the service, with or without a path: https, or http to a private host. */
  baseUrl: string;
  /** The API key of the project. It is sent to the origin of `baseUrl` and nowhere else. */
  apiKey: string;
  /** Articles requested per page of the listing, 1–500 (contract, section 8). @default 500 */
  pageSize?: number | undefined;
  /** The number of concurrent requests, 1–64. @default 8 */
  concurrency?: number | undefined;
  /** Time limit of one attempt in milliseconds, from the request to the last byte. @default 30_000 */
  timeout?: number | undefined;
  /** Time limit of one call in milliseconds, retries included. @default 600_000 */
  totalTimeout?: number | undefined;
  /** How failed requests are retried. */
  retry?: RetryOptions | undefined;
  /** Size limits of responses in bytes, after decompression. @default 32 MiB for a page, 8 MiB for an article */
  maxBytes?: { page?: number | undefined; article?: number | undefined } | undefined;
  /** Sends the requests. It must not follow redirects by itself. @default the global `fetch` */
  fetch?: Fetch | undefined;
  /** Called after each attempt. */
  onAttempt?: ((event: AttemptEvent) => void) | undefined;
}

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
  /** Ids that the caller has. If one is missing, the listing is read again, to prove that it is gone. */
  known?: Iterable<string> | undefined;
  /** Called with the new rows of each page of each walk. A returned promise delays the next page. */
  onRows?: OnRows | undefined;
}

export interface ArticlesClient {
  /** The URL of the service. It ends with a slash. */
  baseUrl: URL;
  /**
   * Fetches one page of the listing (contract 4.1): by default the first `pageSize` rows.
   *
   * @throws {ArticlesRequestError}
   * @throws {ArticlesOptionsError} when `limit` or `offset` is out of range
   */
  listPage(query?: { limit?: number; offset?: number }, call?: CallOptions): Promise<ListingPage>;
  /**
   * Reads the whole listing, and reads it again if it changes meanwhile or an id of `known` is missing.
   *
   * @throws {ArticlesRequestError | ArticlesListingError}
   */
  survey(options?: SurveyOptions): Promise<Survey>;
  /**
   * Fetches one article (contract 4.2). Returns `undefined` when the service responds 404 or 410.
   *
   * @throws {ArticlesRequestError} when every attempt fails
   * @throws {InvalidArticlesError} when the id cannot be requested, or a field has a wrong type
   */
  getArticle(id: string, options?: ArticleOptions): Promise<Article | undefined>;
  /** Returns the number of requests so far. */
  traffic(): Traffic;
}

/** The number of 429 responses for one article that use up no retry. All other requests wait meanwhile. */
const throttledLimit = 8;

/**
 * Creates a client for the service. It runs in every runtime with `fetch`.
 *
 * @param clock the clock, timers and random numbers, which tests replace
 * @throws {ArticlesOptionsError} when an option cannot be used. The key is not repeated.
 */
export function createArticlesClient(
  options: ArticlesClientOptions,
  clock: Clock = systemClock,
): ArticlesClient {
  const { apiKey, onAttempt } = options;
  const settings = settingsOf(options);
  const { pageSize, concurrency, totalTimeout, maxBytes } = settings;
  const apiUrls = createApiUrls(options.baseUrl);
  const headers = requestHeaders(apiKey);
  const redact = createRedact(apiKey);
  const { request, traffic } = createRequester({
    ...{ ...settings, headers, redact, clock, onAttempt },
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    redirects: 'same-origin',
  });

  function until({ signal, deadline }: CallOptions): Until {
    return { signal, deadline: deadline ?? clock.now() + totalTimeout };
  }

  async function listPage(query: { limit?: number; offset?: number } = {}, call: CallOptions = {}) {
    const limit = inRange('limit', query.limit ?? pageSize);
    const offset = inRange('offset', query.offset);
    const url = apiUrls.list({ limit, offset });
    return request({ url, maxBytes: maxBytes.page, read: readPage }, until(call));
  }

  async function surveyListing({ known = [], onRows, ...call }: SurveyOptions = {}) {
    const limits = until(call);
    const requestPage = withSmallerPages(async (query) => {
      const { rows, ...page } = await listPage(query, limits);
      const decode = (row: unknown, index: number) =>
        decodeListed(row, query.offset + index + 1, apiKey);
      return { ...page, rows: rows.map(decode) };
    });
    return survey(() => walk(requestPage, { pageSize, concurrency, onRows }), known);
  }

  async function getArticle(id: string, options: ArticleOptions = {}) {
    const { confirmMissing = true, ...call } = options;
    const reason = id === apiKey ? keyAsId : idProblem(id);
    if (reason) throw new InvalidArticlesError([{ id: redact(id), field: 'id', reason }]);
    const spec: RequestSpec<Article> = {
      url: apiUrls.article(id),
      maxBytes: maxBytes.article,
      throttledLimit,
      read: (body, response) => decodeArticle(readJson(body, response), id),
    };
    const limits = until(call);
    const send = () => request(spec, limits).catch(undefinedIfMissing);
    return (await send()) ?? (confirmMissing ? send() : undefined);
  }

  return { baseUrl: apiUrls.base, listPage, survey: surveyListing, getArticle, traffic };
}

/** @throws {ArticlesOptionsError} when a number is out of range */
function settingsOf({ retry = {}, maxBytes = {}, ...options }: ArticlesClientOptions) {
  return {
    pageSize: inRange('pageSize', options.pageSize),
    concurrency: inRange('concurrency', options.concurrency),
    timeout: inRange('timeout', options.timeout),
    totalTimeout: inRange('totalTimeout', options.totalTimeout),
    retry: {
      limit: inRange('retry.limit', retry.limit),
      maxDelay: inRange('retry.maxDelay', retry.maxDelay),
      countThrottled: retry.countThrottled ?? false,
    },
    maxBytes: {
      page: inRange('maxBytes.page', maxBytes.page),
      article: inRange('maxBytes.article', maxBytes.article),
    },
  };
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ArticlesRequestError && error.code === 'not-found') return undefined;
  throw error;
}
