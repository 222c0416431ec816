import { decodeListed } from '../../client/article.ts';
import { ArticlesRequestError } from '../../errors.ts';
import type { Check, Probe, ProbeResult } from './probe.ts';
import type { Exchange, Requests } from './requests.ts';

const wrongKey = 'astro-articles-check-sends-a-wrong-key';

/** How the service lists its articles. */
export const listingProbes = {
  /** An envelope is wrong only without articles. */
  service({ page: { envelope, count, more, rows } }) {
    const where = envelope === '(array)' ? 'a bare array' : `rows in \`${envelope}\``;
    const counted = count === undefined ? 'no `count`' : `\`count\` ${count}`;
    const next = more === undefined ? 'no `next`' : 'with `next`';
    const text = `responds with a listing: ${where}, ${counted}, ${next}`;
    if (rows.length > 0) return [{ level: 'ok', text }];
    const fix =
      'A build would fail, and remove nothing. Publish an article, or check whether the key belongs to another project.';
    return [{ level: 'wrong', text: `${text}, but no articles`, fix }];
  },

  redirect: probeRedirect,

  async key({ requests }) {
    const { listPage } = requests.clientWithKey(wrongKey);
    const status = await listPage({ limit: 1 }, requests.call()).then(() => 200, statusOf);
    if (status === 401 || status === 403) {
      return [{ level: 'ok', text: `accepted; a wrong one is rejected (${status})` }];
    }
    if (status === 200) {
      const text =
        'accepted, but so is a wrong one: the service does not check the key of this URL';
      return [{ level: 'note', text }];
    }
    const outcome = status === undefined ? 'there was no response' : `the response was ${status}`;
    return [{ level: 'unknown', text: `accepted; with a wrong one, ${outcome}` }];
  },

  async pages({ page, limit, requests, suggested }) {
    const { count, more, rows } = page;
    const received = rows.length;
    if (limit < 500) suggested.pageSize = limit;
    // The offset is large, so that a few rows that are added or removed meanwhile make no difference.
    const query = { limit: 2, offset: Math.max(0, received - 1) };
    const part = received < 4 ? undefined : await pageOf(requests, query);
    const ignoresOffset = part !== undefined && idOf(part.rows[0]) === idOf(rows[0]);
    const ignoresLimit = part !== undefined && part.rows.length > query.limit;
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
    const refused = limit < 500 ? 'a page of 500 is refused; ' : '';
    const all = !isCut && (more === false || count === received) ? 'all ' : '';
    const total = isCut && count !== undefined ? ` of ${count}` : '';
    const text = `${refused}requested ${limit}, received ${all}${received}${total}`;
    return [{ level: 'ok', text }];
  },

  /** Only numeric ids that all rise or all fall show an order. */
  order({ listed, suggested }) {
    const isNumeric = listed.every(({ id }) => /^\d+$/.test(id));
    const ids = isNumeric ? listed.map(({ id }) => BigInt(id)) : [];
    const rises = ids.slice(1).map((id, index) => id > (ids[index] ?? id));
    if (rises.length > 0 && !rises.some(Boolean)) {
      return [{ level: 'ok', text: 'newest first, if higher ids are newer' }];
    }
    if (rises.length > 0 && rises.every(Boolean)) {
      suggested.order = 'oldest-first';
      return [{ level: 'ok', text: 'oldest first, if higher ids are newer' }];
    }
    const fix =
      "Compare the first rows with the service. If the oldest come first, set `order: 'oldest-first'`.";
    return [{ level: 'unknown', text: 'unknown, because the ids do not show it', fix }];
  },
} satisfies Record<string, Probe>;

/** Describes a redirect of the listing, which doubles its requests. */
export function probeRedirect({
  requests,
  suggested,
}: Pick<Check, 'requests' | 'suggested'>): ProbeResult[] {
  const isRedirect = ({ status, headers }: Exchange) => status > 300 && headers.has('location');
  const { url, status, headers } = requests.exchanges.findLast(isRedirect) ?? {};
  const location = headers?.get('location');
  if (!url || !location || !URL.canParse(location, url)) return [];
  const from = new URL(url);
  const to = new URL(location, from);
  const text = `${from.origin}${from.pathname} redirects (${status}) to ${to.origin}${to.pathname}`;
  const [path, isListing] = to.pathname.split(/api\/integrations\/project\/articles(\/)/);
  if (!isListing) return [{ level: 'note', text }];
  suggested.baseUrl = to.origin + path;
  const fix = `Each request is sent twice. Set \`baseUrl\` to ${suggested.baseUrl}.`;
  return [{ level: 'note', text, fix }];
}

export function probeThrottling({ requests, suggested }: Check): ProbeResult[] {
  const throttled = requests.exchanges.filter(({ status }) => status === 429);
  if (throttled.length === 0) return [];
  suggested.concurrency = 2;
  const retryAfter = throttled.at(-1)?.headers.get('retry-after');
  const times = throttled.length === 1 ? 'once' : `${throttled.length} times`;
  const header = retryAfter ? `with Retry-After: ${retryAfter}` : 'without Retry-After';
  return [{ level: 'note', text: `responded 429 ${times}, ${header}` }];
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof ArticlesRequestError) return error.status;
  throw error;
}

/** Requests a part of the listing; undefined without a usable response. */
function pageOf({ client, call }: Requests, query: { limit: number; offset: number }) {
  return client.listPage(query, call()).catch((error) => {
    if (!(error instanceof ArticlesRequestError)) throw error;
  });
}

/** Rows without a usable id are never the same. */
function idOf(value: unknown): unknown {
  const row = decodeListed(value, 1);
  return 'id' in row ? row.id : row;
}
