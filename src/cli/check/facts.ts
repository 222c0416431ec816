/**
 * What `check` found out. These are the keys of `--json`: they only ever grow. A key that is null
 * could not be found out.
 */
export interface Facts {
  /** Why there is no listing to look at; then nothing below is known. */
  failure: Failure | null;
  /** Whether the service answered at all. */
  reachable: boolean;
  key: {
    accepted: boolean | null;
    /** What the service answered to a wrong key. */
    wrongKeyStatus: number | null;
  };
  listing: {
    /** Where the rows stand: `results`, `data.results`, `(array)`. */
    envelope: string;
    /** How many articles there are, as the service says. */
    count: number | null;
    /** Whether the service says that more follow. */
    next: boolean | null;
    askedFor: number;
    /** Rows that came. */
    came: number;
    /** `exact`: never more than `came` rows; `at-least`: no more rows exist, or may be asked for. */
    pageLimit: 'exact' | 'at-least' | null;
    honoursLimit: boolean | null;
    honoursOffset: boolean | null;
  } | null;
  order: 'newest-first' | 'oldest-first' | null;
  /** `full`: all four fields. */
  rows: 'full' | 'summaries' | null;
  articles: {
    /** Articles that were fetched one by one. */
    fetched: number;
    /** Of those, the ones whose row says exactly the same; null for summaries. */
    sameAsRow: number | null;
    problems: { id: string; reason: string }[];
  };
  /** Forms of the ids, each with how many rows have it. */
  ids: Record<string, number>;
  /** Rows without an id that can be asked for. */
  badRows: { id: string; reason: string }[];
  /** Articles without a title or without content, among those looked at. */
  drafts: { found: number; among: number };
  covers: {
    /** Forms of the covers, each with how many articles have it. */
    forms: Record<string, number>;
    /** Covers that were downloaded and looked at. */
    sampled: number;
    failed: { url: string; reason: string }[];
  };
  /** What came of asking again with the validators of the last answer. */
  conditional: { listing: Conditional | null; article: Conditional | null };
  throttling: {
    /** How often the service answered 429. */
    throttled: number;
    /** The longest `Retry-After`, in seconds or as a date, as it came. */
    retryAfter: string | null;
    /** Headers of the answers that tell about limits, with their last value. */
    headers: Record<string, string>;
  };
  redirects: { from: string; to: string; status: number }[];
  /** What the address of the listing answers without its last slash. */
  withoutSlash: number | null;
  /** Milliseconds. */
  time: { median: number; slowest: number } | null;
  /** The .env files that hold the key. `ignored` is null outside of a git repository. */
  envFiles: { name: string; ignored: boolean | null }[];
  /** Whether everything was asked that there was to ask. */
  complete: boolean;
}

export interface Failure {
  code: string;
  message: string;
  hint: string | null;
}

export interface Conditional {
  etag: boolean;
  lastModified: boolean;
  /** Whether the service answered 304, and not 200. */
  notModified: boolean | null;
}
