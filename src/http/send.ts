export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What is read of a response. A `Response` is one. */
export interface Reply extends Pick<Response, 'status' | 'headers'> {
  /** The URL that was requested, where it may differ from the given one. */
  url?: string;
  body: AsyncIterable<Uint8Array<ArrayBuffer>> | null;
}

/** What a request is sent with. */
export interface SendInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | null;
  redirect: 'manual';
}

/** Sends a request, and follows no redirect. The global `fetch` is one. */
export type Send = (url: string, init: SendInit) => Promise<Reply>;

/** What a {@link Fetch} is called with. */
export interface FetchInit extends SendInit {
  /** Sends the requests of a translation. @default the global `fetch` */
  send?: Send;
  /** Called by a translation with each URL that it requests instead. */
  onRequest?: (url: string) => void;
  /** The option `query`, for translations. */
  query?: Record<string, string>;
}
