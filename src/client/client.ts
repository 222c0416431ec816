import { ArticlesRequestError, InvalidArticlesError } from '../errors.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { type Article, decodeArticle, decodeListed, type Row } from './article.ts';
import type { Fetch } from './http/attempt.ts';
import { createBuffers } from './http/buffer-pool.ts';
import { requestHeaders } from './http/headers.ts';
import { asJson } from './http/json.ts';
import type { Until } from './http/rate-limit.ts';
import { createRedact } from './http/redact.ts';
import { type AttemptEvent, createAsker, type Traffic } from './http/request.ts';
import type { RetryOptions } from './http/retry.ts';
import { decodePage, type ListingPage } from './listing/page.ts';
import { type ReadRow, readPage } from './listing/page-rows.ts';
import { shrinking } from './listing/smaller-pages.ts';
import { type Survey, survey } from './listing/survey.ts';
import { walk } from './listing/walk.ts';
import type { OnRows } from './listing/walk-state.ts';
import { checkRange } from './option-ranges.ts';
import { createAddresses, idFault } from './urls.ts';

export interface ArticlesClientOptions {
  /** The service's address: https, or http on loopback. It may have a path. */
  baseUrl: string;
  /** The project's API key, sent to the origin of `baseUrl` and nowhere else. */
  apiKey: string;
  /** Articles asked for at once in the listing, 1–500 (contract, section 8). @default 500 */
  pageSize?: number | undefined;
  /** Requests under way at once, 1–64. @default 8 */
  concurrency?: number | undefined;
  /** Milliseconds for one attempt, from asking to the last byte. @default 30_000 */
  timeout?: number | undefined;
  /** Milliseconds for one call with all its retries, unless a deadline is given. @default 600_000 */
  totalTimeout?: number | undefined;
  /** How often, and how long apart, what failed is asked for again. */
  retry?: RetryOptions | undefined;
  /** Bytes of an answer at most, after decompression. @default 32 MiB for a page, 8 MiB for an article */
  maxBytes?: { page?: number | undefined; article?: number | undefined } | undefined;
  /** Does the requests. It gets a URL and an init, and must not follow redirects. @default fetch */
  fetch?: Fetch | undefined;
  /** Told about each attempt that ended. */
  onAttempt?: ((event: AttemptEvent) => void) | undefined;
}

export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** When the call ends at the latest, in ms on the clock of `performance.now()`. @default now + `totalTimeout` */
  deadline?: number | undefined;
}

export interface ArticleOptions extends CallOptions {
  /**
   * Whether to ask a second time before a 404 is believed: one may come from a replica that lags
   * behind. @default true
   */
  confirmMissing?: boolean | undefined;
}

export interface SurveyOptions<Kept = Article> extends CallOptions {
  /** Ids that the caller holds already: those that are gone have to be proven so. */
  known?: Iterable<string> | undefined;
  /** Given the new rows of each page of each walk as it arrives; a promise puts off the page after it. */
  onRows?: OnRows<Kept> | undefined;
}

/** A row of the listing as it came, until `take` returns: then another page may take its place. */
export interface SurveyRow {
  /** The bytes of its JSON, where they can be told from the rest of the page. */
  json?: Uint8Array | undefined;
  /** Reads them. */
  read(): Row;
}

export interface ArticlesClient {
  /** Where the service is, ending in a slash. */
  baseUrl: URL;
  /**
   * Fetches one page of the listing (contract 4.1), with whatever rows it holds: `pageSize` of them, from the
   * first one on, unless told otherwise.
   *
   * @throws {ArticlesRequestError}
   * @throws {ArticlesOptionsError} when `limit` or `offset` is out of range
   */
  listPage(query?: { limit?: number; offset?: number }, call?: CallOptions): Promise<ListingPage>;
  /**
   * Finds out what the service lists, walking until the listing can be relied on.
   *
   * @throws {ArticlesRequestError | ArticlesListingError}
   */
  survey(options?: SurveyOptions): Promise<Survey>;
  /**
   * The same, where `take` makes of each row what `onRows` is given of it: so no page is held with all its
   * texts, and a row that is known by its bytes need not be read. It may be called more than once
   * for a row.
   *
   * @throws {ArticlesRequestError | ArticlesListingError} and what `take` throws
   */
  surveyRows<Kept>(
    take: (row: SurveyRow) => Row<Kept>,
    options?: SurveyOptions<Kept>,
  ): Promise<Survey>;
  /**
   * Fetches one article (contract 4.2); `undefined` when the service answers 404 or 410.
   *
   * @throws {ArticlesRequestError} when there is no usable answer.
   * @throws {InvalidArticlesError} when the id cannot be asked for, or a field has a wrong type.
   */
  getArticle(id: string, options?: ArticleOptions): Promise<Article | undefined>;
  /** What was asked so far. */
  traffic(): Traffic;
}

/** What a client does when it is not told otherwise. */
export const clientDefaults = {
  pageSize: 500,
  concurrency: 8,
  timeout: 30_000,
  totalTimeout: 600_000,
  retry: { limit: 4, maxDelay: 120_000 },
  maxBytes: { page: 32 * 2 ** 20, article: 8 * 2 ** 20 },
};

/**
 * Creates a client for the service. It needs nothing but `fetch`, so it runs wherever there is one.
 *
 * @param clock the clock, timers and chance; only tests have reason to pass others
 * @throws {ArticlesOptionsError} when address or key cannot be used; the key is not repeated.
 */
export function createArticlesClient(
  options: ArticlesClientOptions,
  clock: Clock = systemClock,
): ArticlesClient {
  const settings = withDefaults(options);
  const { pageSize, concurrency, totalTimeout, maxBytes } = settings;
  const addresses = createAddresses(options.baseUrl);
  const asker = createAsker(
    {
      fetch: options.fetch ?? ((url, init) => fetch(url, init)),
      headers: requestHeaders(options.apiKey),
      redact: createRedact(options.apiKey),
      buffers: createBuffers(),
      clock,
    },
    { ...settings, onAttempt: options.onAttempt },
  );

  function until({ signal, deadline }: CallOptions): Until {
    return { signal, deadline: deadline ?? clock.now() + totalTimeout };
  }

  async function listPage(query: { limit?: number; offset?: number } = {}, call: CallOptions = {}) {
    const { limit = pageSize, offset = 0 } = query;
    checkRange('pageSize', limit, 'limit');
    checkRange('offset', offset);
    return askPage({ limit, offset }, { read: asJson(decodePage), limits: until(call) });
  }

  function askPage<T>(
    query: { limit: number; offset: number },
    { read, limits }: { read: (body: Uint8Array) => T; limits: Until },
  ): Promise<T> {
    return asker.ask({ url: addresses.list(query), maxBytes: maxBytes.page, read }, limits);
  }

  async function surveyRows<Kept>(
    take: (row: SurveyRow) => Row<Kept>,
    { known = [], onRows, ...call }: SurveyOptions<Kept> = {},
  ) {
    const limits = until(call);
    const ask = shrinking<Kept>(({ limit, offset }) => {
      const readRow: ReadRow<Row<Kept>> = ({ json, value }, index) =>
        take({ json, read: () => decodeListed(value(), offset + index + 1) });
      const read = (body: Uint8Array) => readPage(body, readRow);
      return askPage({ limit, offset }, { read, limits });
    });
    return survey(() => walk(ask, { pageSize, concurrency, onRows }), known);
  }

  async function getArticle(
    id: string,
    { confirmMissing = true, ...call }: ArticleOptions = {},
  ): Promise<Article | undefined> {
    const fault = idFault(id);
    if (fault) throw new InvalidArticlesError([{ id, field: 'id', reason: fault }]);
    const url = addresses.article(id);
    const read = asJson((value) => decodeArticle(value, id));
    const question = { url, maxBytes: maxBytes.article, read };
    const limits = until(call);
    const ask = () => unlessMissing(asker.ask(question, limits));
    const answer = (await ask()) ?? (confirmMissing ? await ask() : undefined);
    if (!answer) return undefined;
    if ('article' in answer) return answer.article;
    throw new InvalidArticlesError(answer.problems);
  }

  return {
    baseUrl: addresses.base,
    listPage,
    survey: (options) => surveyRows(({ read }) => read(), options),
    surveyRows,
    getArticle,
    traffic: asker.traffic,
  };
}

function withDefaults(options: ArticlesClientOptions) {
  const given = <T extends object>(value: T | undefined) =>
    Object.fromEntries(Object.entries(value ?? {}).filter(([, set]) => set !== undefined));
  const { pageSize, concurrency, timeout, totalTimeout } = options;
  const settings = {
    ...clientDefaults,
    ...given({ pageSize, concurrency, timeout, totalTimeout }),
    retry: { ...clientDefaults.retry, countThrottled: false, ...given(options.retry) },
    maxBytes: { ...clientDefaults.maxBytes, ...given(options.maxBytes) },
  };
  checkRange('pageSize', settings.pageSize);
  checkRange('concurrency', settings.concurrency);
  checkRange('timeout', settings.timeout);
  checkRange('totalTimeout', settings.totalTimeout);
  checkRange('retry.limit', settings.retry.limit);
  checkRange('retry.maxDelay', settings.retry.maxDelay);
  checkRange('maxBytes.page', settings.maxBytes.page);
  checkRange('maxBytes.article', settings.maxBytes.article);
  return settings;
}

function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error) => {
    if (error instanceof ArticlesRequestError && error.code === 'not-found') return undefined;
    throw error;
  });
}
