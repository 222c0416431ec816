import { decodeListed } from '../../client/article.ts';
import type { ListingPage } from '../../client/listing/page.ts';
import { ArticlesRequestError } from '../../errors.ts';
import type { Budget, Exchange } from './budget.ts';
import type { Check, FirstPage, ProbeResult } from './probe.ts';

const wrongKey = 'astro-articles-check-sends-a-wrong-key';
const callTime = 25_000;

export const listingProbes = {
  key: probeKey,
  listing: probeEnvelope,
  pages: probePages,
  order: probeOrder,
};

/** Describes how the service responded to the first request. */
export function probeService(first: FirstPage, { limit }: Budget): Record<string, ProbeResult[]> {
  if (first.status === 'listed')
    return { service: [{ level: 'ok', text: 'responds with a listing' }] };
  const { error } = first;
  if (!(error instanceof ArticlesRequestError)) {
    const text = `the limit of ${limit} requests was reached before there was a listing`;
    return { service: [{ level: 'wrong', text, fix: 'Raise --requests, or try again later.' }] };
  }
  const { message, hint, code } = error;
  const failure: ProbeResult = { level: 'wrong', text: message, ...(hint ? { fix: hint } : {}) };
  return code === 'unauthorized'
    ? { service: [{ level: 'ok', text: 'responds' }], key: [failure] }
    : { service: [failure] };
}

/** Describes a redirect of the listing, which doubles its requests. */
export function probeRedirects(budget: Budget): ProbeResult[] {
  const redirect = redirectOf(budget);
  if (!redirect) return [];
  const { from, to, status, base } = redirect;
  const text = `${from.origin}${from.pathname} redirects (${status}) to ${to.origin}${to.pathname}`;
  const fix = base && `Each request is sent twice. Set \`baseUrl\` to ${base}.`;
  return [{ level: 'note', text, ...(fix ? { fix } : {}) }];
}

/** Finds where the listing redirects to, and the address of the service there. */
export function redirectOf({ exchanges }: Budget) {
  const isRedirect = ({ status, headers }: Exchange) => status > 300 && headers.has('location');
  const { url, status, headers } = exchanges.findLast(isRedirect) ?? {};
  const location = headers?.get('location');
  if (!url || !location || !URL.canParse(location, url)) return undefined;
  const to = new URL(location, url);
  return { from: new URL(url), to, status, base: baseOf(to) };
}

/** The address of a service, given the URL of its listing. */
function baseOf({ origin, pathname }: URL): string | undefined {
  const path = '/api/integrations/project/articles/';
  return pathname.endsWith(path) ? origin + pathname.slice(0, 1 - path.length) : undefined;
}

async function probeKey({ budget }: Check): Promise<ProbeResult[]> {
  const status = await budget
    .clientWithKey(wrongKey)
    .listPage({ limit: 1 }, budget.within(callTime))
    .then(() => 200, statusOf);
  if (status === 401 || status === 403) {
    return [{ level: 'ok', text: `accepted; a wrong one is rejected (${status})` }];
  }
  if (status === 200) {
    const text = 'accepted, but so is a wrong one: the service does not check it at this address';
    return [{ level: 'note', text }];
  }
  const outcome = status === undefined ? 'there was no response' : `the response was ${status}`;
  return [{ level: 'unknown', text: `accepted; with a wrong one, ${outcome}` }];
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof ArticlesRequestError) return error.status;
  throw error;
}

function probeEnvelope({ page: { envelope, count, more, rows } }: Check): ProbeResult[] {
  const where = envelope === '(array)' ? 'a bare array' : `rows in \`${envelope}\``;
  const signs = [
    count === undefined ? 'no `count`' : `\`count\` ${count}`,
    more === undefined ? 'no `next`' : 'with `next`',
  ];
  const text = `${where}, ${signs.join(', ')}`;
  if (rows.length > 0) return [{ level: 'ok', text }];
  const fix =
    'A build would fail, and remove nothing. Publish an article, or check whether the key belongs to another project.';
  return [{ level: 'wrong', text: `${text}: no articles`, fix }];
}

async function probePages(check: Check): Promise<ProbeResult[]> {
  const { page, limit } = check;
  const { count, more, rows } = page;
  const received = rows.length;
  if (limit < 500) check.suggested.pageSize = limit;
  const { ignoresLimit, ignoresOffset } = await probeParameters(check);
  const isCut = more === true || (count !== undefined && count > received);

  if (ignoresOffset && ignoresLimit && !isCut) {
    const text = `the whole list at once, ${received} rows: \`limit\` and \`offset\` are ignored`;
    return [{ level: 'ok', text }];
  }
  if (ignoresOffset) {
    const fix = `The service has to support \`offset\`: no article after the first ${received} can be listed.`;
    const level = isCut || received >= limit ? 'wrong' : 'note';
    return [{ level, text: 'every `offset` returns the first rows', fix }];
  }
  const start = `${limit < 500 ? '500 at once are refused; ' : ''}requested ${limit}, received `;
  const end = ignoresLimit ? '; `limit` is ignored' : '';
  const level = ignoresLimit ? 'note' : 'ok';
  if (isCut || (await hasMoreRows(check))) {
    const total = count === undefined ? '' : ` of ${count}`;
    return [{ level, text: `${start}${received}${total}: a page has at most ${received}${end}` }];
  }
  return [{ level, text: `${start}all ${received}${end}` }];
}

/** Requests two parts that lie so far apart that rows which come or go meanwhile make no difference. */
async function probeParameters({ page, limit, budget }: Check) {
  const { length } = page.rows;
  if (length < 4) return { ignoresLimit: length > limit, ignoresOffset: false };
  const part = (offset: number) =>
    budget.client.listPage({ limit: 2, offset }, budget.within(callTime)).catch(noPage);
  const [second, last] = [await part(1), await part(length - 1)];
  const [start, other] = [second, last].map((each) => each && idsOf(each)[0]);
  return {
    ignoresLimit: second !== undefined && second.rows.length > 2,
    ignoresOffset: start !== undefined && start === other,
  };
}

/** Whether rows follow the first page, when the page itself does not say so. */
async function hasMoreRows({ page, limit, budget }: Check): Promise<boolean> {
  const { rows, count, more } = page;
  if (rows.length === 0 || more === false || count !== undefined) return false;
  const next = await budget.client
    .listPage({ limit, offset: rows.length }, budget.within(callTime))
    .catch(noPage);
  const known = new Set(idsOf(page));
  return next !== undefined && idsOf(next).some((id) => !known.has(id));
}

function noPage(error: unknown): undefined {
  if (error instanceof ArticlesRequestError) return undefined;
  throw error;
}

function idsOf({ rows }: ListingPage): string[] {
  const decoded = rows.map((row, index) => decodeListed(row, index + 1));
  return decoded.flatMap((row) => ('problem' in row ? [] : [row.id]));
}

/** Only numeric ids that all rise or all fall show an order. */
function probeOrder({ listed, suggested }: Check): ProbeResult[] {
  const isNumeric = listed.every(({ id }) => /^\d+$/.test(id));
  const numbers = isNumeric ? listed.map(({ id }) => BigInt(id)) : [];
  const pairs = numbers.slice(1).map((id, index) => [numbers[index] ?? id, id] as const);
  if (pairs.length > 0 && pairs.every(([before, after]) => before > after)) {
    return [{ level: 'ok', text: 'newest first, if higher ids are newer' }];
  }
  if (pairs.length > 0 && pairs.every(([before, after]) => before < after)) {
    suggested.order = 'oldest-first';
    return [{ level: 'ok', text: 'oldest first, if higher ids are newer' }];
  }
  const reason = isNumeric ? 'the ids neither rise nor fall' : 'the ids are not numbers';
  const text = `unknown, because ${listed.length < 2 ? 'there are too few rows' : reason}`;
  const fix =
    "Compare the first rows with the service. If the oldest come first, set `order: 'oldest-first'`.";
  return [{ level: 'unknown', text, fix }];
}

export function probeThrottling({ budget, suggested }: Check): ProbeResult[] {
  const throttled = budget.exchanges.filter(({ status }) => status === 429);
  if (throttled.length === 0) return [{ level: 'ok', text: 'none' }];
  suggested.concurrency = 2;
  const retryAfter = throttled.map(({ headers }) => headers.get('retry-after')).findLast(Boolean);
  const times = throttled.length === 1 ? 'once' : `${throttled.length} times`;
  const header = retryAfter ? `with Retry-After: ${retryAfter}` : 'without Retry-After';
  return [{ level: 'note', text: `responded 429 ${times}, ${header}` }];
}
