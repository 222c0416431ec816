// The small form of zod, because the client runs in functions of edge hosts, too.
import * as z from 'zod/mini';
import type { Fetch } from '../http/attempt.ts';
import type { AttemptEvent } from '../http/request.ts';
import { callback, wholeNumber } from '../shared/check-options.ts';

const hour = 3_600_000;
const largestPage = 500;
const text = 'expected text';

/** The options of requests to the service, for the client and for collections. */
export const requestOptions = z.object({
  /** The number of articles requested per page of the listing. @default 500 */
  pageSize: z._default(wholeNumber({ min: 1, max: largestPage }), largestPage),
  /** The number of concurrent requests to the service. @default 8 */
  concurrency: z._default(wholeNumber({ min: 1, max: 64 }), 8),
  /** The time limit of one attempt in milliseconds, from the request to the last byte. @default 30_000 */
  timeout: z._default(wholeNumber({ min: 1, max: hour }), 30_000),
  /** The number of retries per request. @default 4 */
  retries: z._default(wholeNumber({ min: 0, max: 10 }), 4),
  /**
   * Parameters that are added to requests of the listing, such as a filter of the service. `limit` and `offset` are
   * refused. @default {}
   */
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
  /**
   * Sends the requests to the service, and to its images without the key. It must not follow redirects.
   * @default the global `fetch`
   */
  fetch: z.optional(callback<Fetch>()),
});

export const clientSchema = z.extend(requestOptions, {
  /** The URL of the service, with or without a path: https, or http to a private host. */
  baseUrl: z.string(text),
  /** The API key of the project. It is sent to the origin of `baseUrl` and nowhere else. */
  apiKey: z.string(text),
  /** Called after each attempt. */
  onAttempt: z.optional(callback<(event: AttemptEvent) => void>()),
});

export type ArticlesClientOptions = z.input<typeof clientSchema>;

/** A part of the listing. */
export const listingPart = z.strictObject({
  /** The largest number of articles (docs/reference/service.md). */
  limit: z.optional(wholeNumber({ min: 1, max: largestPage })),
  /** The number of articles to skip. */
  offset: z._default(wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }), 0),
});
