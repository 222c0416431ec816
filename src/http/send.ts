export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What is read of a response before its body. */
export interface ReplyHead {
  status: number;
  headers: Headers;
  /** The URL that was requested, where it may differ from the given one. */
  url?: string;
}

/** The part of a response that is read. A `Response` is one. */
export interface Reply extends ReplyHead {
  body: AsyncIterable<Uint8Array<ArrayBuffer>> | null;
}

/** The settings of a request. */
export interface SendInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | null;
  redirect: 'manual';
}

/** Sends a request, and follows no redirect. The global `fetch` is one. */
export type Send = (url: string, init: SendInit) => Promise<Reply>;

/** The settings of a request that a translation receives. */
export interface FetchInit extends SendInit {
  /** Sends the requests of a translation. @default the global `fetch` */
  send?: Send;
  /** Called by a translation with each URL that it requests instead, and the method. */
  onRequest?: (url: string, method: string) => void;
  /** The option `query`, for translations. */
  query?: Record<string, string>;
}
