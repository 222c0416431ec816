import { createRedact, keyHeader } from '../http/api-key.ts';
import { perform, type RequestSpec, type Sending } from '../http/attempt.ts';
import { decodeText, readJson } from '../http/body.ts';
import { FailureError, networkFailure } from '../http/failure.ts';
import { ageOf, sentAt } from '../http/response-times.ts';
import type { Fetch, FetchInit, ReplyHead } from '../http/send.ts';
import { messageOf } from '../messages.ts';
import { systemClock } from '../shared/clock.ts';
import { collectionPath } from './urls.ts';

/** The size limit of a response in bytes. */
const maxResponseBytes = 32 * 2 ** 20;

/** The rows of the listing that are requested. */
export interface RowRange {
  /** The number of rows to skip. */
  offset: number;
  /** The largest number of rows to return. */
  limit: number;
}

export interface Rows {
  /** Each row has at least an `id`. Their order has to be the same in all responses. */
  rows: readonly object[];
  /** The number of all articles, if the API reports it. */
  count?: number | undefined;
  /** Whether the API says that no row follows. Otherwise, an empty range has to show it. */
  isEnd?: boolean | undefined;
  /**
   * Whether the API numbers its pages. Ranges then do not begin with the last row of the range before, which would request
   * each page twice. Only `count` then shows a shift of the rows. @default false
   */
  isNumbered?: boolean | undefined;
}

/** A request of a translation, such as one of GraphQL or XML-RPC. */
export interface ApiRequest {
  /** @default 'GET' */
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Whether the body of the response is a text, such as XML, rather than JSON. @default false */
  isText?: boolean;
}

export interface ApiResponse<Body> {
  body: Body;
  headers: Headers;
}

/** Another API, as the functions of a translation use it. */
export interface Api {
  /** The option `baseUrl`, with a slash at its end. */
  baseUrl: string;
  /** The option `apiKey`. */
  key: string;
  /** The option `query`. */
  query: Record<string, string>;
  /** Requests JSON from a path below `baseUrl`, as `send()` does. */
  get<Body>(path: string, headers?: Record<string, string>): Promise<ApiResponse<Body>>;
  /**
   * Sends a request to a path below `baseUrl`. If the response has another status than 200, the function ends here, and
   * the response is retried or reported like a response of any other service.
   */
  send<Body>(path: string, request: ApiRequest): Promise<ApiResponse<Body>>;
  /** Requests a file on the origin of `baseUrl`, for `getFile()`. Its redirects are followed without these headers. */
  fetch(url: string, headers?: Record<string, string>): Promise<Response>;
}

export interface Translation {
  /** Returns the rows of a range, or fewer of its first rows if the API limits them; none behind the end. */
  listRows(range: RowRange, api: Api): Promise<Rows>;
  /** Returns the article with this id; undefined if it was deleted, as if the service had responded 404. */
  getArticle(id: string, api: Api): Promise<object | undefined>;
  /**
   * Requests an image on the origin of `baseUrl`, for example with the key, by `api.fetch(url, headers)`.
   * @default a request without the key
   */
  getFile?(url: string, api: Api): Promise<Response>;
}

/** The URL that paths are relative to, and the key. */
interface Service {
  base: URL;
  key: string;
}

/** Creates a value for the option `fetch` from functions that request the articles of another API. */
export function translateApi({ listRows, getArticle, getFile }: Translation): Fetch {
  /** The service that was last requested at each origin, because requests for images come without its key. */
  const services = new Map<string, Service>();

  return async (href, init) => {
    const url = new URL(href);
    const [path = '', id] = url.pathname.split(collectionPath);
    const { [keyHeader]: key = '', ...headers } = Object.fromEntries(new Headers(init.headers));
    const initWithoutKey = { ...(init as FetchInit), headers };
    if (id === undefined) {
      if (!getFile) return fetch(href, init);
      const service = services.get(url.origin) ?? { base: new URL('/', url), key };
      return translate('getFile', (api) => getFile(href, api), service, initWithoutKey);
    }
    const service = { base: new URL(path, url), key };
    services.set(url.origin, service);
    return translate(
      id ? 'getArticle' : 'listRows',
      async (api, used) => {
        if (id) {
          const article = await getArticle(decodeURIComponent(id.replace('/', '')), api);
          return toResponse(article, used);
        }
        const { limit, offset } = Object.fromEntries(url.searchParams);
        const range = { offset: Number(offset), limit: Number(limit) };
        const { rows, count, isEnd, isNumbered } = await listRows(range, api);
        return toResponse({ results: rows, count, isNumbered, ...(isEnd && { next: null }) }, used);
      },
      service,
      initWithoutKey,
    );
  };
}

/**
 * Calls a function of a translation.
 *
 * @param respond `used`: the responses that it has used
 * @throws {FailureError}
 */
async function translate(
  name: keyof Translation,
  respond: (api: Api, used: readonly ReplyHead[]) => Promise<Response>,
  service: Service,
  init: FetchInit,
): Promise<Response> {
  const used: ReplyHead[] = [];
  try {
    return await respond(createApi(service, init, used), used);
  } catch (error) {
    if (error instanceof FailureError) throw error;
    const reason = `responded with what \`${name}()\` of the translation cannot read (${messageOf(error)})`;
    const last = used.at(-1);
    const facts = last && { status: last.status, headers: last.headers };
    const failure = { code: 'unexpected-shape', reason, ...facts } as const;
    throw new FailureError(failure, { cause: error });
  }
}

function createApi({ base, key }: Service, init: FetchInit, used: ReplyHead[]): Api {
  const { headers: shared = {}, signal, query = {}, send: sendRequest = fetch, onRequest } = init;
  const redact = createRedact(key);

  function resolve(path: string): URL {
    const url = new URL(path, base);
    if (url.origin !== base.origin) throw new Error(`${url.origin} must not receive the API key`);
    return url;
  }

  async function send<Body>(
    path: string,
    { isText, headers, method = 'GET', ...sent }: ApiRequest,
  ) {
    const connection = {
      fetch(href: string, request: FetchInit) {
        onRequest?.(href, method);
        return sendRequest(href, { ...request, method, ...sent });
      },
      headers: shared,
      redirects: 'same-origin',
      redact,
      clock: systemClock,
    } as const;
    const spec: RequestSpec<ApiResponse<Body>> = {
      url: resolve(path),
      headers,
      maxBytes: maxResponseBytes,
      read(bytes, response) {
        used.push(response);
        const decoded = decodeText(bytes);
        const body = isText ? decoded.text : readJson(decoded, response);
        return { body: body as Body, headers: response.headers };
      },
    };
    const sending: Sending = { signal, requested: {} };
    try {
      return await perform(connection, spec, sending);
    } catch (error) {
      // Another request of the same call may have been sent after this one.
      onRequest?.(sending.requested.url ?? '', method);
      throw error;
    }
  }

  return {
    baseUrl: base.href,
    key,
    query,
    get: (path, headers = {}) => send(path, { headers }),
    send,
    async fetch(path, headers) {
      const url = resolve(path);
      onRequest?.(url.href, 'GET');
      const all = { ...shared, ...headers };
      const response = fetch(url, { headers: all, redirect: 'manual', signal: signal ?? null });
      return response.catch((error) => Promise.reject(networkFailure(error, url, redact)));
    },
  };
}

/**
 * Makes the response of the contract. Because loads compare times, it has the earliest `Date` and the largest `Age` of the
 * responses that were used.
 */
function toResponse(value: object | undefined, used: readonly ReplyHead[]): Response {
  const now = Date.now();
  const dates = used.map((response) => sentAt(response.headers, now));
  const date = used.length > 0 ? Math.min(...dates) : now;
  const age = Math.max(0, ...used.map((response) => ageOf(response.headers)));
  const headers = {
    'content-type': 'application/json',
    date: new Date(date).toUTCString(),
    age: String(age),
  };
  // Ids beyond 2^53 are bigint.
  const text = (_: string, part: unknown) => (typeof part === 'bigint' ? String(part) : part);
  const status = value === undefined ? 404 : 200;
  return new Response(JSON.stringify(value, text), { status, headers });
}
