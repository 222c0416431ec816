/**
 * Every way this package fails, by name. A code never changes its meaning; the README says of each when
 * it happens, and what to do.
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
  'protocol',
  'timeout',
  'total-timeout',
  'redirect',
  'empty-body',
  'not-json',
  'bad-json',
  'bad-text',
  'body-too-large',
  'too-deep',
  'unexpected-shape',
  'wrong-article',
  'offset-ignored',
  'listing-incomplete',
  'listing-endless',
  'id-clash',
  'articles-missing',
  'mass-removal',
  'invalid-articles',
  'mirror-empty',
  'mirror-damaged',
  'mirror-unreadable',
  'mirror-unwritable',
  'sharp-missing',
  'body-missing',
  'key-in-output',
] as const;

export type ArticlesErrorCode = (typeof errorCodes)[number];

interface Facts {
  /** What the reader should do next. Astro prints it below the message. */
  hint?: string | undefined;
}

const brand = Symbol.for('astro-articles.error');

/** What all errors of this package have in common: a fixed `code`, a sentence, and a `hint`. */
export class ArticlesError extends Error {
  override name = 'ArticlesError';
  readonly code: ArticlesErrorCode;
  readonly hint: string | undefined;

  constructor(code: ArticlesErrorCode, message: string, { hint }: Facts = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
    Object.defineProperty(this, brand, { value: true });
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

export interface RequestFacts extends Facts {
  /** The address asked. It never holds the key. */
  url?: string | undefined;
  /** The status of the last answer, when there was one. */
  status?: number | undefined;
  /** How long the service asked to wait, in milliseconds. */
  retryAfter?: number | undefined;
  /** How many times the request was sent. */
  attempts?: number | undefined;
}

/** A request that got no usable answer, after all its attempts. */
export class ArticlesRequestError extends ArticlesError {
  override name = 'ArticlesRequestError';
  readonly url: string | undefined;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly attempts: number;

  constructor(code: ArticlesErrorCode, message: string, facts: RequestFacts = {}) {
    super(code, message, facts);
    this.url = facts.url;
    this.status = facts.status;
    this.retryAfter = facts.retryAfter;
    this.attempts = facts.attempts ?? 1;
  }
}

/** A listing that cannot be trusted, or that would remove too much. */
export class ArticlesListingError extends ArticlesError {
  override name = 'ArticlesListingError';
}

/** One thing that is wrong with one article. */
export interface ArticleProblem {
  /** The article's id, or its place in the listing when it has none. */
  id: string;
  /** The field that is wrong, when it is one. */
  field?: string;
  reason: string;
}

/** Articles that cannot become entries: all of them, not just the first. */
export class InvalidArticlesError extends ArticlesError {
  override name = 'InvalidArticlesError';
  readonly problems: readonly ArticleProblem[];

  constructor(problems: readonly ArticleProblem[], facts: Facts = {}) {
    super('invalid-articles', describeProblems(problems), facts);
    this.problems = problems;
  }
}

/** The mirror on disk is missing, damaged or cannot be written. */
export class ArticlesMirrorError extends ArticlesError {
  override name = 'ArticlesMirrorError';
  readonly path: string;

  constructor(code: ArticlesErrorCode, message: string, facts: Facts & { path: string }) {
    super(code, message, facts);
    this.path = facts.path;
  }
}

/** Prints one problem the way every message and warning shows it. */
export function describeProblem({ id, field, reason }: ArticleProblem): string {
  return `article ${JSON.stringify(id)}${field ? `, field ${field}` : ''}: ${reason}`;
}

const shownProblems = 50;
const shownIds = 20;

function describeProblems(problems: readonly ArticleProblem[]): string {
  const groups = Map.groupBy(problems, ({ field, reason }) => `${field} ${reason}`);
  const shown = [...groups.values()]
    .slice(0, shownProblems)
    .map((group) => `  - ${describeAll(group)}`);
  const rest = groups.size - shown.length;
  if (rest > 0) shown.push(`  - and ${rest} more`);
  const count = problems.length === 1 ? '1 article' : `${problems.length} articles`;
  return `${count} cannot be used:\n${shown.join('\n')}`;
}

/** What is wrong with several articles alike is said once. */
function describeAll(alike: readonly ArticleProblem[]): string {
  const [first] = alike;
  if (!first) return '';
  if (alike.length === 1) return describeProblem(first);
  const ids = alike.slice(0, shownIds).map(({ id }) => JSON.stringify(id));
  const rest = alike.length > shownIds ? ` and ${alike.length - shownIds} more` : '';
  const field = first.field ? `, field ${first.field}` : '';
  return `articles ${ids.join(', ')}${rest}${field}: ${first.reason}`;
}
