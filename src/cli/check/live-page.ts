import { setTimeout as sleep } from 'node:timers/promises';
import { printable, quote } from '../../errors.ts';
import { readBody } from '../../http/body.ts';
import { networkFailure } from '../../http/network-failure.ts';
import { createReport, type Finding, type Report } from './finding.ts';

/** Milliseconds of one request, and those within which a cache has stored its response. */
const [timeLimit, storeTime] = [30_000, 500];
/** The headers of shared caches with a lifetime, a report or tags; the most specific first. */
const hosts = ['netlify-cdn-', 'vercel-cdn-', 'cloudflare-cdn-', 'cdn-', ''];
const lifetimes = hosts.map((host) => `${host}cache-control`);
const reports = ['x-astro-cache', 'x-vercel-cache', 'cf-cache-status', 'cache-status', 'x-cache'];
const tagLists = ['netlify-cache-tag', 'vercel-cache-tag', 'cache-tag', 'cdn-tag'];
/** What a header has when a cache stored the response. In `Cache-Status`, only a parameter shows it (RFC 9211, 2.1). */
const fromCache =
  /^cache-status: .*;\s*hit\b|^(?!cache-status).*\b(?:hit|stale|updating|revalidated)\b|^age: [1-9]/i;
/** Characters: what Akamai allows. */
const maxTagLength = 128;
/** The size limit of a page in bytes. */
const maxBytes = 2 ** 25;

/** Requests a deployed page twice, and finds out what is wrong with caching it. */
export async function checkLivePage(url: URL): Promise<Finding[]> {
  const findings: Finding[] = [];
  const reportTo = (topic: string) => createReport(findings, topic);
  try {
    const { status, headers } = await request(url);
    if (status !== 200) {
      const location = headers.get('location');
      const fix = location ? `Check ${quote(location)}.` : 'Check the page of an existing article.';
      reportTo('page')('wrong', `the status is ${status} instead of 200`, fix);
      return findings;
    }
    await sleep(storeTime);
    const second = await request(url);
    for (const [topic, probe] of Object.entries(probes)) probe(second.headers, reportTo(topic));
  } catch (error) {
    const { message } = networkFailure(error, { host: url.host, redact: printable });
    reportTo('page')('wrong', message, 'Check the address.');
  }
  return findings;
}

async function request(url: URL): Promise<Response> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeLimit) });
  // Caches store complete responses only.
  await readBody(response, { maxBytes });
  return response;
}

const probes: Record<string, (headers: Headers, report: Report) => void> = {
  cache(headers, report) {
    const seen = first(headers, reports) ?? '';
    const hit = [seen, first(headers, ['age']) ?? ''].find((text) => fromCache.test(text));
    if (hit) return report('ok', `the second response came from a cache (${hit})`);
    const lifetime = first(headers, lifetimes) ?? 'no header allows it';
    const text = seen ? `${lifetime}; ${seen}` : lifetime;
    const isAllowed =
      !/\b(?:no-store|private)\b/i.test(lifetime) && /(?:s-maxage|max-age)=[1-9]/i.test(lifetime);
    const fix = 'Set `cache` in astro.config, or put a CDN in front that reads these headers.';
    if (isAllowed) return report('note', `a cache may store the page, and none did (${text})`, fix);
    report(
      'wrong',
      `no cache stores the page (${text})`,
      'Set `cache` in astro.config, and call `Astro.cache.set()` in the page: docs/guides/live-pages.md.',
    );
  },

  browser(headers, report) {
    const [, seconds] = /\bmax-age=([1-9]\d*)/i.exec(headers.get('cache-control') ?? '') ?? [];
    if (!seconds) return report('ok', '`cache-control` does not let browsers keep the page');
    const fix =
      'Leave `max-age` out of `cache-control`: `Astro.cache.set()` sets it for caches only.';
    report('wrong', `browsers keep the page for ${seconds} s, and no purge reaches them`, fix);
  },

  readers(headers, report) {
    const cookies = headers.getSetCookie().map((cookie) => `the cookie ${cookie.split('=')[0]}`);
    const vary = /(?:^|,)\s*(\*|cookie|authorization|user-agent)\s*(?:,|$)/i.exec(
      headers.get('vary') ?? '',
    );
    const parts = [...cookies, ...(vary ? [`\`vary: ${vary[1]}\``] : [])];
    if (parts.length === 0) return report('ok', 'all get the same page');
    const fix = 'A cache stores no such page, or shows that of one reader to others: leave it out.';
    report('wrong', `each gets a page of their own: ${parts.join(', ')}`, fix);
  },

  tags(headers, report) {
    const [, list] = first(headers, tagLists)?.split(': ') ?? [];
    if (!list) return report('unknown', 'not visible: the page has none, or the host removes them');
    const tags = list.split(',').map((tag) => tag.trim());
    const bad = tags.filter((tag) => tag.length > maxTagLength || /[^!-~]/.test(tag));
    if (bad.length === 0) return report('ok', tags.join(', '));
    const fix = `Hosts drop tags that are not ASCII or have more than ${maxTagLength} characters: use \`cacheTags()\`.`;
    report('wrong', `a purge does not reach ${bad.map(quote).join(', ')}`, fix);
  },

  validator(headers, report) {
    const date = first(headers, ['last-modified']);
    if (!date) return report('ok', 'no date that can be older than the build');
    const fix = 'Leave `lastModified` out: after a deploy of new code, browsers keep the old page.';
    report('note', date, fix);
  },
};

/** Returns the first of these headers that the response has, as `name: value`. */
function first(headers: Headers, names: readonly string[]): string | undefined {
  const name = names.find((candidate) => headers.get(candidate));
  return name && `${name}: ${headers.get(name)}`;
}
