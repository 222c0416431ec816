import { createRedact, keyHeader } from '../http/api-key.ts';
import { receive } from '../http/attempt.ts';
import { decodeText, readJson } from '../http/body.ts';
import { FailureError } from '../http/failure.ts';
import { followRedirects } from '../http/redirects.ts';
import { ageOf, sentAt } from '../http/response-times.ts';
import type { Fetch, FetchInit, Reply, SendInit } from '../http/send.ts';
import { messageOf } from '../messages.ts';
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
 * @returns its response, or the unsuccessful response of the API
 */
async function translate(
  name: keyof Translation,
  respond: (api: Api, used: readonly Reply[]) => Promise<Response>,
  service: Service,
  init: FetchInit,
): Promise<Response> {
  const used: Reply[] = [];
  try {
    return await respond(createApi(service, init, used), used);
  } catch (error) {
    if (error instanceof Failed && 'status' in Object(error.cause)) return error.cause as Response;
    if (error instanceof Failed) throw error.cause;
    const reason = `responded with what \`${name}()\` of the translation cannot read (${messageOf(error)})`;
    const last = used.at(-1);
    const facts = last && { status: last.status, headers: last.headers };
    const failure = { code: 'unexpected-shape', reason, ...facts } as const;
    throw new FailureError(failure, { cause: error });
  }
}

/**
 * Passes an unsuccessful response, or the error of a request, through the functions of a translation. In a load, the response
 * is a {@link Reply}, which has all that a load reads.
 */
class Failed extends Error {}

function createApi({ base, key }: Service, init: FetchInit, used: Reply[]): Api {
  const redact = createRedact(key);

  function resolve(path: string): URL {
    const url = new URL(path, base);
    if (url.origin !== base.origin) throw new Error(`${url.origin} must not receive the API key`);
    return url;
  }

  function request<R extends Reply>(
    send: (url: string, init: SendInit) => Promise<R>,
    { href }: URL,
    { headers, ...more }: ApiRequest,
  ): Promise<R> {
    init.onRequest?.(href);
    const { signal = null } = init;
    const all = { ...init.headers, ...headers };
    return send(href, { ...more, headers: all, redirect: 'manual', signal });
  }

  async function send<Body>(path: string, { isText, ...sent }: ApiRequest) {
    let url = resolve(path);
    try {
      const response = await followRedirects(url, 'same-origin', (target) => {
        url = target;
        return request(init.send ?? fetch, target, sent);
      });
      if (response.status !== 200) throw response;
      used.push(response);
      const read = (body: Uint8Array) => {
        const decoded = decodeText(body);
        return isText ? decoded.text : readJson(decoded, response);
      };
      const limits = { maxBytes: maxResponseBytes, redact, quotes: true };
      const body = await receive(response, { ...limits, read });
      return { body: body as Body, headers: response.headers };
    } catch (cause) {
      // Another request of the same call may have been sent after this one.
      init.onRequest?.(url.href);
      throw new Failed('', { cause });
    }
  }

  return {
    baseUrl: base.href,
    key,
    query: init.query ?? {},
    get: (path, headers = {}) => send(path, { headers }),
    send,
    async fetch(path, headers = {}) {
      const url = resolve(path);
      const response = request(fetch, url, { headers });
      return response.catch((cause) => Promise.reject(new Failed('', { cause })));
    },
  };
}

/**
 * Makes the response of the contract. Because loads compare times, it has the earliest `Date` and the largest `Age` of the
 * responses that were used.
 */
function toResponse(value: object | undefined, used: readonly Reply[]): Response {
  const now = Date.now();
  const [date = now] = used
    .map((response) => sentAt(response.headers, now))
    .toSorted((a, b) => a - b);
  const age = Math.max(0, ...used.map((response) => ageOf(response.headers)));
  const headers = {
    'content-type': 'application/json',
    date: new Date(date).toUTCString(),
    age: String(age),
  };
  if (value === undefined) {
    const detail = '`getArticle()` returned nothing';
    return new Response(JSON.stringify({ detail }), { status: 404, headers });
  }
  // Ids beyond 2^53 are bigint.
  const text = (_: string, part: unknown) => (typeof part === 'bigint' ? String(part) : part);
  return new Response(JSON.stringify(value, text), { headers });
}
