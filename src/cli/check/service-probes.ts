import type { ListingPage } from '../../client/listing/page.ts';
import { ArticlesRequestError } from '../../errors.ts';
import { type Budget, callTime, type Exchange } from './budget.ts';
import type { Check, FirstPage, ProbeResult } from './probe.ts';

const wrongKey = 'astro-articles-check-sends-a-wrong-key';

/** Describes how the service responded to the first request. */
export function probeService(first: FirstPage, { limit }: Budget): Record<string, ProbeResult[]> {
  if (first.status === 'listed') return { service: [probeEnvelope(first.page)] };
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

export async function probeKey({ budget }: Check): Promise<ProbeResult[]> {
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

/** Describes the envelope of the listing, which is wrong only without articles. */
function probeEnvelope({ envelope, count, more, rows }: ListingPage): ProbeResult {
  const where = envelope === '(array)' ? 'a bare array' : `rows in \`${envelope}\``;
  const signs = [
    count === undefined ? 'no `count`' : `\`count\` ${count}`,
    more === undefined ? 'no `next`' : 'with `next`',
  ];
  const text = `responds with a listing: ${where}, ${signs.join(', ')}`;
  if (rows.length > 0) return { level: 'ok', text };
  const fix =
    'A build would fail, and remove nothing. Publish an article, or check whether the key belongs to another project.';
  return { level: 'wrong', text: `${text}, but no articles`, fix };
}

export function probeThrottling({ budget, suggested }: Check): ProbeResult[] {
  const throttled = budget.exchanges.filter(({ status }) => status === 429);
  if (throttled.length === 0) return [];
  suggested.concurrency = 2;
  const retryAfter = throttled.map(({ headers }) => headers.get('retry-after')).findLast(Boolean);
  const times = throttled.length === 1 ? 'once' : `${throttled.length} times`;
  const header = retryAfter ? `with Retry-After: ${retryAfter}` : 'without Retry-After';
  return [{ level: 'note', text: `responded 429 ${times}, ${header}` }];
}
