// The small form of zod, because the client runs in functions of edge hosts, too.
import * as z from 'zod/mini';
import type { Fetch } from '../http/send.ts';
import { callback, type FieldsOf, milliseconds, wholeNumber } from '../shared/check-options.ts';

export const largestPage = 500;
const text = 'expected text';

/** The options of requests to the service, for the client and for collections. */
export interface RequestOptions {
  /** The number of articles requested per page of the listing. @default 500 */
  pageSize?: number | undefined;
  /** The number of concurrent requests to the service. @default 8 */
  concurrency?: number | undefined;
  /** The time limit of one attempt in milliseconds, from the request to the last byte. @default 30_000 */
  timeout?: number | undefined;
  /** The number of retries per request. @default 4 */
  retries?: number | undefined;
  /**
   * Parameters that are added to requests of the listing, such as filters, or fields of rows. `limit` and `offset` are
   * refused. @default {}
   */
  query?: Record<string, string> | undefined;
  /**
   * Sends the requests to the service, and to its images without the key. It must not follow redirects. Errors quote the
   * responses: a secret that it adds must not be in them.
   * @default Node's own HTTP client in a load, and the global `fetch` elsewhere
   */
  fetch?: Fetch | undefined;
}

/** Checks the options of requests, and has their defaults. */
export const requestOptions = z.object({
  pageSize: z._default(wholeNumber({ min: 1, max: largestPage }), largestPage),
  concurrency: z._default(wholeNumber({ min: 1, max: 64 }), 8),
  timeout: z._default(milliseconds({ min: 1 }), 30_000),
  retries: z._default(wholeNumber({ min: 0, max: 10 }), 4),
  query: z._default(
    z
      .record(z.string(), z.string(text), 'expected an object with texts')
      .check(
        z.refine(
          (query) => !('limit' in query || 'offset' in query),
          'expected neither `limit` nor `offset`: `pageSize` sets the limit',
        ),
      ),
    {},
  ),
  fetch: z.optional(callback<Fetch>()),
} satisfies FieldsOf<RequestOptions>);

/** The options of `createArticlesClient()`. */
export interface ArticlesClientOptions extends RequestOptions {
  /** The URL of the service, with or without a path: https, or http to a private host. */
  baseUrl: string;
  /** The API key of the project. It is sent to the origin of `baseUrl` and nowhere else. */
  apiKey: string;
}

export const clientSchema = z.object({
  ...requestOptions.shape,
  baseUrl: z.string(text),
  apiKey: z.string(text),
} satisfies FieldsOf<ArticlesClientOptions>);

/** A part of the listing. */
export const listingPart = z.strictObject({
  /** The largest number of articles (docs/reference/service.md). */
  limit: z.optional(wholeNumber({ min: 1, max: largestPage })),
  /** The number of articles to skip. */
  offset: z.optional(wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })),
});
