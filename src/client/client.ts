import {
  ArticlesInvalidError,
  ArticlesRequestError,
  articleNotice,
  type Notice,
} from '../errors.ts';
import { createKeyFinder, createRedact, requestHeaders } from '../http/api-key.ts';
import type { CallLimits, RequestSpec } from '../http/attempt.ts';
import { decodeText, readJson } from '../http/body.ts';
import { createRequester, type Traffic } from '../http/request.ts';
import { ageOf, sentAt } from '../http/response-times.ts';
import type { FetchInit, Send } from '../http/send.ts';
import { messageOf } from '../messages.ts';
import { checkOptions } from '../shared/check-options.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { type Article, decodeArticle, keyInside } from './article.ts';
import { type ArticlesClientOptions, clientSchema, listingPart } from './client-options.ts';
import { type ListingPage, readPage } from './listing/page.ts';
import { collectionPath, idProblem, parseBaseUrl } from './urls.ts';

export interface CallOptions {
  /** Aborts the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** The time limit of the call, in ms on the clock of `performance.now()`. @default an hour from now */
  deadline?: number | undefined;
}

export interface PageOptions extends CallOptions {
  /** Whether caches have to check with the service that their copy is current (RFC 9111, 5.2.1.4). @default false */
  fresh?: boolean | undefined;
}

export interface ArticleOptions extends CallOptions {
  /** Whether a 404 response is confirmed by a second request, since a replica may lag behind. @default true */
  confirmMissing?: boolean | undefined;
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
  listPage(query?: { limit?: number; offset?: number }, call?: PageOptions): Promise<ListingPage>;
  /**
   * Fetches one article (docs/reference/service.md). Returns `undefined` when the service responds 404 or 410.
   *
   * @throws {ArticlesRequestError} when every attempt fails
   * @throws {ArticlesInvalidError} when the id cannot be requested, a field has a wrong type, or the article contains the key
   */
  getArticle(id: string, options?: ArticleOptions): Promise<Article | undefined>;
  /** Returns the number of requests so far. */
  traffic(): Traffic;
}

/** The limits of a client. Times are in milliseconds; sizes are in bytes, after decompression. */
export const clientLimits = {
  /** The time limit of a whole load, or of one call. */
  totalTimeout: 3_600_000,
  /** The longest wait that the service may require. A request with a longer wait fails at once. */
  maxDelay: 120_000,
  /** The size limit of a page of the listing. */
  pageBytes: 32 * 2 ** 20,
  /** The size limit of a single article. */
  articleBytes: 2 * 2 ** 20,
};

export type ClientLimits = typeof clientLimits;

/**
 * Creates a client for the service. It runs in every runtime with `fetch`.
 *
 * @param internals the clock, timers and random numbers, which tests replace; limits in place of the limits of a build; and
 *   what sends requests in place of the global `fetch`
 * @throws {ArticlesOptionsError} when an option cannot be used. The message does not contain the key.
 */
export function createArticlesClient(
  options: ArticlesClientOptions,
  internals: { clock?: Clock; limits?: Partial<ClientLimits>; send?: Send } = {},
): ArticlesClient {
  const settings = checkOptions(clientSchema, options, 'createArticlesClient()');
  const { apiKey, pageSize, retries, query } = settings;
  const { clock = systemClock, send = (url, init) => fetch(url, init) } = internals;
  const limits = { ...clientLimits, ...internals.limits };
  const baseUrl = parseBaseUrl(settings.baseUrl);
  // The URLs of both endpoints end with a slash (docs/reference/service.md).
  const collection = new URL(collectionPath, baseUrl);
  const headers = requestHeaders(apiKey);
  const redact = createRedact(apiKey);
  const containsKey = createKeyFinder(apiKey);
  const { request, traffic } = createRequester({
    ...settings,
    headers,
    redact,
    clock,
    fetch: (url, init) => (settings.fetch ?? send)(url, { ...init, query, send } as FetchInit),
    redirects: 'same-origin',
    retry: { limit: retries, maxDelay: limits.maxDelay },
  });

  function until({ signal, deadline }: CallOptions): CallLimits {
    return { signal, deadline: deadline ?? clock.now() + limits.totalTimeout };
  }

  async function listPage(part: { limit?: number; offset?: number } = {}, call: PageOptions = {}) {
    const { limit = pageSize, offset = 0 } = checkOptions(listingPart, part, 'listPage()');
    const parameters = { limit: String(limit), offset: String(offset), ...query };
    const spec = {
      url: new URL(`?${new URLSearchParams(parameters)}`, collection),
      headers: call.fresh ? { 'cache-control': 'no-cache' } : {},
      maxBytes: limits.pageBytes,
      read: readPage,
    };
    const page = request(spec, until(call));
    return offset === 0 ? page : ((await page.catch(undefinedIfMissing)) ?? { rows: [] });
  }

  async function getArticle(id: string, options: ArticleOptions = {}) {
    const { confirmMissing = true, ...call } = options;
    const reason = id === apiKey ? keyInside : idProblem(id);
    if (reason) throw new ArticlesInvalidError([articleNotice(redact(id), reason, 'id')]);
    const spec: RequestSpec<Article> = {
      url: new URL(`${encodeURIComponent(id)}/`, collection),
      maxBytes: limits.articleBytes,
      read: (body, response) => {
        const decoded = decodeText(body);
        if (containsKey(decoded.text))
          throw new ArticlesInvalidError([articleNotice(redact(id), keyInside)]);
        const { headers } = response;
        const respondedAt = sentAt(headers, clock.date()) - ageOf(headers) * 1000;
        return { ...decodeArticle(readJson(decoded, response), id), respondedAt };
      },
    };
    const end = until(call);
    const send = () => request(spec, end).catch(undefinedIfMissing);
    return (await send()) ?? (confirmMissing ? send() : undefined);
  }

  return { baseUrl, listPage, getArticle, traffic };
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ArticlesRequestError && error.code === 'not-found') return undefined;
  throw error;
}

/**
 * Returns what a failure of `getArticle()` means for the article.
 *
 * @param probe sends another request to the service. If it succeeds, only this article has the problem; if it
 *   fails, the cause may be the service, the key or the network.
 * @throws the failure, if it may affect other articles
 */
export async function noticesOfFailure(
  error: unknown,
  { id, probe }: { id: string; probe?: (() => Promise<unknown>) | undefined },
): Promise<readonly Notice[]> {
  if (error instanceof ArticlesInvalidError) return error.notices;
  if (!(error instanceof ArticlesRequestError) || !probe) throw error;
  await probe().catch(() => Promise.reject(error));
  return [articleNotice(id, messageOf(error))];
}
