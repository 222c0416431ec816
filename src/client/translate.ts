import { messageOf } from '../errors.ts';
import { type Fetch, followRedirects } from '../http/attempt.ts';
import { readBody, readJson } from '../http/body.ts';
import { FailureError } from '../http/failure.ts';
import { collectionPath } from './urls.ts';

/** The rows of the listing that are requested. */
export interface RowRange {
  /** The number of rows to skip. */
  offset: number;
  /** The largest number of rows to return. */
  limit: number;
  /** The option `query`. */
  query: Record<string, string>;
}

export interface Rows {
  /** Each row has at least an `id`. Their order has to be the same in all responses. */
  rows: readonly object[];
  /** The number of all articles, if the API reports it. */
  count?: number | undefined;
  /** Whether the API says that no row follows. Otherwise, an empty range has to show it. */
  isEnd?: boolean | undefined;
}

/** Another API, as the functions of a translation use it. */
export interface Api {
  /** The option `apiKey`. */
  key: string;
  /**
   * Requests JSON from a path below `baseUrl`. If the response has another status than 200, the function ends here, and
   * the response is retried or reported like that of any other service.
   */
  get<Body>(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ body: Body; headers: Headers }>;
}

export interface Translation {
  /** Returns the rows of a range, or the first ones of it if the API has a lower limit; none behind the end. */
  listRows(range: RowRange, api: Api): Promise<Rows>;
  /** Returns the article with this id. */
  getArticle(id: string, api: Api): Promise<object>;
}

/** Creates a value for the option `fetch` from two functions that request the articles of another API. */
export function translateApi({ listRows, getArticle }: Translation): Fetch {
  return async (href, init) => {
    const url = new URL(href);
    const [path = '', id = ''] = url.pathname.split(collectionPath);
    const api = createApi(new URL(path, url), init);
    const { limit, offset, ...query } = Object.fromEntries(url.searchParams);
    const range = { offset: Number(offset), limit: Number(limit), query };
    try {
      if (id) return toResponse(await getArticle(decodeURIComponent(id.replace(/\/$/, '')), api));
      const { rows, count, isEnd } = await listRows(range, api);
      return toResponse({ results: rows, count, ...(isEnd && { next: null }) });
    } catch (error) {
      if (error instanceof Failed && error.cause instanceof Response) return error.cause;
      if (error instanceof Failed) throw error.cause;
      const reason = `responded with what the function for \`fetch\` cannot translate (${messageOf(error)})`;
      throw new FailureError({ code: 'unexpected-shape', reason }, { cause: error });
    }
  };
}

/**
 * Creates `listRows()` for an API that numbers its pages, beginning with 1.
 *
 * @param perPage the number of rows on each page but the last
 */
export function numberedPages(
  perPage: number,
  listPage: (
    part: { page: number; perPage: number; query: RowRange['query'] },
    api: Api,
  ) => Promise<Rows>,
): Translation['listRows'] {
  return async ({ offset, limit, query }, api) => {
    const first = Math.floor(offset / perPage) + 1;
    const all: object[] = [];
    let count: number | undefined;
    let isEnd = false;
    let isFull = true;
    // A page that is not full is the last one if `count` says so, or if the next one is empty.
    for (let page = first; !isEnd && (!isFull || (page - 1) * perPage < offset + limit); page++) {
      const { rows, ...part } = await listPage({ page, perPage, query }, api);
      if (rows.length > perPage || (rows.length > 0 && !isFull)) {
        throw new Error(`its pages do not have the ${perPage} rows of \`numberedPages()\``);
      }
      all.push(...rows);
      count ??= part.count;
      isFull = rows.length === perPage;
      isEnd = rows.length === 0 || (page - 1) * perPage + rows.length === count;
    }
    const skipped = offset - (first - 1) * perPage;
    const rows = all.slice(skipped, skipped + limit);
    return { rows, count, isEnd: isEnd && skipped + rows.length >= all.length };
  };
}

/** Passes an unsuccessful response, or the error of a request, through the functions of a translation. */
class Failed extends Error {}

function createApi(base: URL, { headers: given, signal = null }: RequestInit): Api {
  const { 'x-project-api-key': key = '', ...shared } = Object.fromEntries(new Headers(given));
  return {
    key,
    async get<Body>(path: string, headers: Record<string, string> = {}) {
      const url = new URL(path, base);
      if (url.origin !== base.origin) throw new Error(`${url.origin} must not receive the API key`);
      const init: RequestInit = { headers: { ...shared, ...headers }, redirect: 'manual', signal };
      try {
        const response = await followRedirects(url, 'same-origin', ({ href }) => fetch(href, init));
        if (response.status !== 200) throw response;
        const body = readJson(await readBody(response, 32 * 2 ** 20), response);
        return { body: body as Body, headers: response.headers };
      } catch (cause) {
        throw new Failed('', { cause });
      }
    },
  };
}

function toResponse(value: object): Response {
  // Ids beyond 2^53 are bigint.
  const text = (_: string, part: unknown) => (typeof part === 'bigint' ? String(part) : part);
  return new Response(JSON.stringify(value, text), {
    headers: { 'content-type': 'application/json' },
  });
}
