import { linesOf, mapTexts, nameArticles, printable } from './messages.ts';

/**
 * Every way in which this package fails, by name. A code never changes its meaning; the documentation
 * describes when each one occurs and what to do.
 */
export const errorCodes = [
  'invalid-options',
  'key-missing',
  'key-malformed',
  'base-url-missing',
  'site-missing',
  'unauthorized',
  'not-found',
  'refused',
  'throttled',
  'server-error',
  'unavailable',
  'unexpected-status',
  'network',
  'dns',
  'tls',
  'timeout',
  'total-timeout',
  'redirect',
  'not-json',
  'bad-json',
  'bad-text',
  'body-too-large',
  'unexpected-shape',
  'listing-unusable',
  'mass-removal',
  'invalid-articles',
  'mirror-empty',
  'mirror-unreadable',
  'mirror-unwritable',
  'sharp-missing',
  'body-missing',
  'key-in-output',
  'history-unavailable',
  'id-unreadable',
  'path-taken',
] as const;

export type ArticlesErrorCode = (typeof errorCodes)[number];

/** The folder of the documentation, which is part of the package. */
export const documentation = 'node_modules/astro-articles/docs';

/** Removes the API key and control characters from a text, so that a message can contain it. */
export type Redact = (text: string) => string;

interface ErrorDetails {
  /** What the reader should do next. */
  hint?: string | undefined;
  /** The error that led to this one. */
  cause?: unknown;
}

const brand = Symbol.for('astro-articles.error');

/** The base class of all errors of this package: a fixed `code`, a message and a `hint`. */
export class ArticlesError extends Error {
  override name = 'ArticlesError';
  readonly code: ArticlesErrorCode;
  /**
   * What the reader should do next, and in a line of its own the section of the documentation about the code. Astro and
   * the commands print it below the message.
   */
  hint: string;

  constructor(code: ArticlesErrorCode, message: string, { hint, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = `${hint ? `${hint}\n` : ''}See ${documentation}/errors.md#${code}`;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Adds a line to the hint, such as the name of the collection. The message is unchanged. */
  addNote(note: string): void {
    this.hint += `\n${note}`;
  }

  /** Removes what `redact` finds, such as the API key, from all texts of the error and its causes. */
  redact(redact: Redact): void {
    this.message = redact(this.message);
    if (this.stack) this.stack = redact(this.stack);
    if (this.cause) this.cause = redactCause(this.cause, redact);
    this.hint = redact(this.hint);
  }

  /** Recognises errors of any copy of this package: Vite may load a second one. */
  static is(error: unknown): error is ArticlesError {
    return error instanceof Error && brand in error;
  }
}

/** An option or environment variable that is missing, unknown or out of range. */
export class ArticlesOptionsError extends ArticlesError {
  override name = 'ArticlesOptionsError';
}

export interface RequestErrorDetails extends ErrorDetails {
  /** The URL of the request. It never contains the key. */
  url?: string | undefined;
  /** What went wrong, without the URL. @default the message */
  reason?: string | undefined;
  /** The status of the last response, if there was one. */
  status?: number | undefined;
  /** The headers of this response, by their names in lower case, without cookies and the key. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The number of times the request was sent. */
  attempts?: number | undefined;
}

/** A request without a usable response, after all its attempts. */
export class ArticlesRequestError extends ArticlesError {
  override name = 'ArticlesRequestError';
  readonly url: string | undefined;
  readonly reason: string;
  readonly status: number | undefined;
  /** The headers of the last response, if there was one, by their names in lower case, without cookies and the key. */
  headers: Readonly<Record<string, string>> | undefined;
  readonly attempts: number;

  constructor(code: ArticlesErrorCode, message: string, details: RequestErrorDetails = {}) {
    super(code, message, details);
    this.url = details.url;
    this.reason = details.reason ?? message;
    this.status = details.status;
    this.headers = details.headers;
    this.attempts = details.attempts ?? 1;
  }

  override redact(redact: Redact): void {
    super.redact(redact);
    if (this.headers) this.headers = mapTexts(this.headers, redact);
  }
}

/** A listing that is unreliable, or that would remove too much. */
export class ArticlesListingError extends ArticlesError {
  override name = 'ArticlesListingError';
}

/** Why an article cannot be used, or a picture, where a build fails for it. */
export interface Notice {
  code: 'article' | 'picture';
  /** The ids of the articles that it is about; the position in the listing of one without a usable id. */
  ids: readonly string[];
  /** The field with the problem, if it is a single one. */
  field?: string | undefined;
  /** The reason. */
  text: string;
}

/** Returns the notice of an article that cannot be used. */
export function articleNotice(id: string, text: string, field?: string): Notice {
  return { code: 'article', ids: [id], field, text };
}

/** Articles that cannot be used. Lists all of them, not only the first. */
export class ArticlesInvalidError extends ArticlesError {
  override name = 'ArticlesInvalidError';
  notices: readonly Notice[];

  constructor(notices: readonly Notice[], details?: ErrorDetails) {
    super('invalid-articles', describeArticles(notices), details);
    this.notices = notices;
  }

  override redact(redact: Redact): void {
    super.redact(redact);
    this.notices = mapTexts(this.notices, redact);
  }
}

/** The mirror on disk is missing, or it cannot be read or written. */
export class ArticlesMirrorError extends ArticlesError {
  override name = 'ArticlesMirrorError';
}

/** Copies an error and up to four causes without the key, which errors of a site's own code and plugins may contain. */
export function redactCause(error: unknown, redact: Redact, depth = 5): Error | undefined {
  if (!(error instanceof Error) || depth === 0) return undefined;
  const cause = redactCause(error.cause, redact, depth - 1);
  const copy = new Error(redact(error.message), cause && { cause });
  const stack = error.stack?.split('\n').map(redact).join('\n');
  const code = 'code' in error && typeof error.code === 'string' && { code: redact(error.code) };
  return Object.assign(copy, { name: error.name, stack }, code);
}

const shownGroups = 50;
const shownIds = 20;

function describeArticles(notices: readonly Notice[]): string {
  const groups = Map.groupBy(notices, ({ field, text }) => `${field} ${text}`);
  const lines = [...groups.values()]
    .slice(0, shownGroups)
    .map((group) => `  - ${describeGroup(group)}`);
  const rest = groups.size - lines.length;
  if (rest > 0) lines.push(`  - and ${rest} more`);
  const { size } = new Set(notices.flatMap(({ ids }) => ids));
  return `${size === 1 ? '1 article' : `${size} articles`} cannot be used:\n${lines.join('\n')}`;
}

/** Describes notices that say the same of several articles, in one line. */
export function describeGroup(group: readonly Notice[]): string {
  const [first] = group;
  // Two versions of an article may have the same problem.
  const ids = [...new Set(group.flatMap((notice) => notice.ids))];
  const field = first?.field ? `, field ${printable(first.field)}` : '';
  // Plugins and schemas throw messages of several lines.
  const text = linesOf(first?.text ?? '').join(' ');
  return `${nameArticles(ids, shownIds)}${field}: ${printable(text)}`;
}
