import { type Article, decodeArticle, type ListedArticle } from '../../client/article.ts';
import { decodePage, type ListingPage } from '../../client/page.ts';
import { articleDigest } from '../../mirror/digest.ts';
import type { ResolvedOptions } from '../../options.ts';
import { checkCovers } from './covers.ts';
import type { Conditional, Facts, Failure } from './facts.ts';
import { type Exchange, type Requests, RequestsUsedUp } from './requests.ts';
import { countDrafts, coverForms, readCovers, readRows } from './rows.ts';
import { spread } from './spread.ts';

const largestPage = 500;
const smallerPage = 100;
const sampledArticles = 3;
const wrongKey = 'astro-articles-check-asks-with-a-wrong-key';

/** What is told about the service, as far as it is known. */
type ServiceFacts = Omit<Facts, 'envFiles'>;

/** Asks the service what its contract leaves open: the most telling questions first. */
export async function inquire(requests: Requests, options: ResolvedOptions): Promise<ServiceFacts> {
  const facts = unknownFacts();
  try {
    await askAll(requests, { facts, options });
    facts.complete = facts.failure === null;
  } catch (error) {
    if (!(error instanceof RequestsUsedUp)) throw error;
  }
  return { ...facts, ...seen(requests) };
}

async function askAll(
  requests: Requests,
  { facts, options }: { facts: ServiceFacts; options: ResolvedOptions },
): Promise<void> {
  const first = await askFirstPage(requests);
  facts.reachable = first.exchanges.length > 0;
  facts.key.accepted = keyAccepted(first);
  if ('failure' in first) {
    facts.failure = first.failure;
    return;
  }
  const { page, askedFor } = first;
  const { listed, ...rows } = readRows(page.rows);
  Object.assign(facts, rows);
  const inRows = listed.flatMap(({ article }) => article ?? []);
  facts.drafts = countDrafts(inRows);
  facts.covers.forms = coverForms(readCovers(page.rows));
  facts.listing = {
    envelope: page.envelope,
    count: page.count ?? null,
    next: page.more ?? null,
    askedFor,
    came: page.rows.length,
    pageLimit: pageLimit(page, askedFor),
    honoursLimit: page.rows.length > askedFor ? false : null,
    honoursOffset: null,
  };

  facts.key.wrongKeyStatus = await askWithWrongKey(requests);
  Object.assign(facts.listing, await askForParts(requests, page, facts.listing));
  const single = await askForArticles(requests, listed);
  facts.articles = single.facts;
  if (inRows.length === 0) facts.drafts = countDrafts(single.articles);
  facts.conditional.listing = await askAgain(requests, first.exchanges);
  facts.conditional.article = await askAgain(requests, single.exchanges);
  facts.withoutSlash = await askWithoutSlash(requests);

  const covers = [...readCovers(page.rows), ...readCovers(single.raw)];
  if (Object.keys(facts.covers.forms).length === 0) facts.covers.forms = coverForms(covers);
  const { usedUp, ...checked } = await checkCovers(requests, { covers, options });
  Object.assign(facts.covers, checked);
  if (usedUp) throw usedUp;
}

type FirstPage = { exchanges: Exchange[] } & (
  | { page: ListingPage; askedFor: number }
  | { failure: Failure }
);

/** The largest page; a smaller one, when the service refuses to give so much at once. */
async function askFirstPage(requests: Requests): Promise<FirstPage> {
  const largest = await askForPage(requests, { limit: largestPage, offset: 0 });
  if ('value' in largest) return { ...largest, page: largest.value, askedFor: largestPage };
  const { error } = largest;
  if (['refused', 'server-error', 'timeout', 'body-too-large'].includes(error.code)) {
    const smaller = await askForPage(requests, { limit: smallerPage, offset: 0 });
    if ('value' in smaller) return { ...smaller, page: smaller.value, askedFor: smallerPage };
  }
  const { code, message, hint = null } = error;
  return { failure: { code, message, hint }, exchanges: largest.exchanges };
}

function askForPage(requests: Requests, query: { limit: number; offset: number }) {
  const { addresses, ask } = requests;
  return ask({ url: addresses.list(query), maxBytes: 32 * 2 ** 20, decode: decodePage });
}

function keyAccepted(first: FirstPage): boolean | null {
  if ('page' in first) return true;
  return first.failure.code === 'unauthorized' ? false : null;
}

/** How many rows a page may have at most, as far as the first one tells. */
function pageLimit(page: ListingPage, askedFor: number): 'exact' | 'at-least' | null {
  const came = page.rows.length;
  if (came >= askedFor) return 'at-least';
  if (page.more === true || (page.count !== undefined && page.count > came)) return 'exact';
  return page.more === false || page.count !== undefined ? 'at-least' : null;
}

async function askWithWrongKey({ addresses, probe }: Requests): Promise<number | null> {
  const url = addresses.list({ limit: 1, offset: 0 });
  const passed = await probe(url, { 'x-project-api-key': wrongKey });
  return passed.at(-1)?.status ?? null;
}

/** Whether `limit` and `offset` do what they say; and whether rows follow, when nothing says so. */
async function askForParts(
  requests: Requests,
  page: ListingPage,
  known: NonNullable<Facts['listing']>,
): Promise<Partial<NonNullable<Facts['listing']>>> {
  const came = page.rows.length;
  if (came === 0) return {};
  const ids = (rows: readonly unknown[]) => readRows(rows).listed.map(({ id }) => id);
  const all = ids(page.rows);
  const found: Partial<NonNullable<Facts['listing']>> = {};
  if (came > 2) {
    const part = await askForPage(requests, { limit: 2, offset: 1 });
    if ('value' in part) {
      const [second] = ids(part.value.rows);
      found.honoursLimit = part.value.rows.length === 2;
      found.honoursOffset = second === undefined ? null : second === all[1];
    }
  }
  if (known.pageLimit !== null) return found;
  const next = await askForPage(requests, { limit: known.askedFor, offset: came });
  if (!('value' in next)) return found;
  const fresh = ids(next.value.rows).some((id) => !all.includes(id));
  return { ...found, pageLimit: fresh ? 'exact' : 'at-least' };
}

interface SingleArticles {
  facts: Facts['articles'];
  articles: Article[];
  /** The answers as they came. */
  raw: unknown[];
  /** Those of the last one that was given. */
  exchanges: Exchange[];
}

async function askForArticles(
  requests: Requests,
  listed: readonly ListedArticle[],
): Promise<SingleArticles> {
  const { addresses, ask } = requests;
  const found: SingleArticles = {
    facts: { fetched: 0, sameAsRow: null, problems: [] },
    articles: [],
    raw: [],
    exchanges: [],
  };
  const { facts } = found;
  for (const row of spread(listed, sampledArticles)) {
    const { id } = row;
    const decode = (value: unknown) => ({ value, ...decodeArticle(value, id) });
    const reply = await ask({ url: addresses.article(id), maxBytes: 8 * 2 ** 20, decode });
    if ('error' in reply) {
      facts.problems.push({ id, reason: reply.error.message });
    } else if ('problems' in reply.value) {
      facts.problems.push(
        ...reply.value.problems.map(({ field, reason }) => ({ id, reason: `${field}: ${reason}` })),
      );
    } else {
      const { value: raw, article } = reply.value;
      facts.fetched += 1;
      found.articles.push(article);
      found.raw.push(raw);
      found.exchanges = reply.exchanges;
      if (row.article) {
        const same = articleDigest(row.article) === articleDigest(article);
        facts.sameAsRow = (facts.sameAsRow ?? 0) + Number(same);
      }
    }
  }
  return found;
}

/** Asks for the same once more, only if it has changed. */
async function askAgain(
  { probe }: Requests,
  passed: readonly Exchange[],
): Promise<Conditional | null> {
  const last = passed.at(-1);
  if (!last) return null;
  const etag = last.headers.get('etag');
  const modified = last.headers.get('last-modified');
  const validators = { etag: etag !== null, lastModified: modified !== null };
  if (!etag && !modified) return { ...validators, notModified: false };
  const answers = await probe(new URL(last.url), {
    ...(etag ? { 'if-none-match': etag } : {}),
    ...(modified ? { 'if-modified-since': modified } : {}),
  });
  return { ...validators, notModified: answers.at(-1)?.status === 304 };
}

async function askWithoutSlash({ addresses, probe }: Requests): Promise<number | null> {
  const url = addresses.list({ limit: 1, offset: 0 });
  url.pathname = url.pathname.replace(/\/$/, '');
  return (await probe(url))[0]?.status ?? null;
}

/** What all the answers show together. */
function seen({
  exchanges,
  durations,
}: Requests): Pick<Facts, 'throttling' | 'redirects' | 'time'> {
  const throttled = exchanges.filter(({ status }) => status === 429);
  const limits = exchanges.flatMap(({ headers }) => [...headers]).filter(isAboutLimits);
  const sorted = durations.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return {
    throttling: {
      throttled: throttled.length,
      retryAfter:
        throttled.map(({ headers }) => headers.get('retry-after')).findLast(Boolean) ?? null,
      headers: Object.fromEntries(limits),
    },
    redirects: redirectsIn(exchanges),
    time: median === undefined ? null : { median, slowest: sorted.at(-1) ?? median },
  };
}

function isAboutLimits([name]: [string, string]): boolean {
  return /^(x-)?ratelimit/.test(name);
}

/** Those of the addresses that the package asks, each once. The one without a slash is not. */
function redirectsIn(exchanges: readonly Exchange[]): Facts['redirects'] {
  const found = new Map<string, Facts['redirects'][number]>();
  for (const { url, status, headers } of exchanges) {
    const location = headers.get('location');
    const { pathname, search, origin } = new URL(url);
    if (status < 301 || status > 308 || !location || !pathname.endsWith('/')) continue;
    const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
    const to = target ? target.origin + target.pathname : location;
    found.set(origin + pathname, { from: url.slice(0, url.length - search.length), to, status });
  }
  return [...found.values()];
}

function unknownFacts(): ServiceFacts {
  return {
    failure: null,
    reachable: false,
    key: { accepted: null, wrongKeyStatus: null },
    listing: null,
    order: null,
    rows: null,
    articles: { fetched: 0, sameAsRow: null, problems: [] },
    ids: {},
    badRows: [],
    drafts: { found: 0, among: 0 },
    covers: { forms: {}, sampled: 0, failed: [] },
    conditional: { listing: null, article: null },
    throttling: { throttled: 0, retryAfter: null, headers: {} },
    redirects: [],
    withoutSlash: null,
    time: null,
    complete: false,
  };
}
