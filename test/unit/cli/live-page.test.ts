import { expect, test } from 'vitest';
import { checkLivePage } from '../../../src/cli/check/live-page.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

type Headers = Record<string, string | string[]>;

/** Serves a page whose first and later responses have these headers, and checks it. */
async function check(first: Headers, later: Headers = first, status = 200): Promise<string[]> {
  let requests = 0;
  const { url } = await temporaryServer((_, response) => {
    requests += 1;
    response.writeHead(status, requests === 1 ? first : later).end('<h1>A page</h1>');
  });
  const findings = await checkLivePage(new URL('/live/1', url));
  expect(requests).toBe(status === 200 ? 2 : 1);
  return findings.map(({ topic, level, text, fix = '' }) =>
    `${level} ${topic}: ${text} ${fix}`.trim(),
  );
}

const rest = ['browser', 'readers', 'validator'];
const isRest = (line: string) => rest.some((topic) => line.startsWith(`ok ${topic}:`));

test.each([
  ['x-astro-cache', 'MISS', 'HIT'],
  ['x-vercel-cache', 'MISS', 'STALE'],
  ['cf-cache-status', 'MISS', 'HIT'],
  ['cache-status', '"Netlify Edge"; fwd=miss', '"Netlify Edge"; hit'],
  ['age', '0', '12'],
])('a page whose second response has %s after %s is cached when it says %s', async (...given) => {
  const [name, first, later] = given;
  const lines = await check({ [name]: first }, { [name]: later });
  expect(lines).toHaveLength(5);
  expect(lines[0]).toBe(`ok cache: the second response came from a cache (${name}: ${later})`);
  expect(lines.filter(isRest)).toHaveLength(3);
});

test.each([
  ['"Netlify Edge"; fwd=stale', false],
  ['"Netlify Durable"; fwd=miss, "Netlify Edge"; fwd=stale; stored', false],
  ['Stale; fwd=miss', false],
  ['"A hit"; fwd=bypass; detail=hit', false],
  ['"Netlify Durable";hit;ttl=7, "Netlify Edge"; fwd=stale; fwd-status=304', true],
  ['Edge; ttl=-3; hit', true],
])('a page with `Cache-Status: %s` comes from a cache: %j', async (status, isHit) => {
  const [line] = await check({ 'cache-status': status, 'cache-control': 's-maxage=60' });
  expect(line).toContain(isHit ? 'ok cache: the second' : 'note cache: a cache may store the page');
});

test.each<[string, Headers, RegExp]>([
  [
    'without headers',
    {},
    /^wrong cache: no cache stores the page \(no header allows it\) Set `cac/,
  ],
  [
    'for one reader',
    { 'cache-control': 'private, max-age=0', 'cf-cache-status': 'DYNAMIC' },
    /^wrong cache: .*\(cache-control: private, max-age=0; cf-cache-status: DYNAMIC\)/,
  ],
  [
    'with a lifetime that no cache uses',
    { 'cache-control': 'no-store', 'netlify-cdn-cache-control': 'public, durable, s-maxage=60' },
    /^note cache: a cache may store the page, and none did \(netlify-cdn-cache-control: .* CDN in front/,
  ],
  [
    'that browsers keep',
    { 'cache-control': 'public, max-age=600, s-maxage=60' },
    /^wrong browser: browsers keep the page for 600 s, and no purge reaches them Leave/,
  ],
  [
    'with cookies',
    { 'set-cookie': ['session=secret; Path=/', 'theme=dark'] },
    /^wrong readers: .*: the cookie session, the cookie theme A cache stores no such page/,
  ],
  ['that varies', { vary: 'Accept-Encoding, Cookie' }, /^wrong readers: .*`vary: Cookie`/],
  ['with tags', { 'cache-tag': 'articles,articles:7' }, /^ok tags: articles, articles:7$/],
  ['without tags', {}, /^unknown tags: not visible/],
  [
    'with a tag that hosts drop',
    { 'vercel-cache-tag': `articles,${'x'.repeat(129)}` },
    /^wrong tags: a purge does not reach "x{129}" Hosts drop tags/,
  ],
  [
    'with a date',
    { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' },
    /^note validator: last-modified: Mon, 01 Jan 2024 .* browsers keep the old page/,
  ],
])('a page %s is described', async (_, headers, line) => {
  const lines = await check(headers);
  expect(
    lines.filter((each) => line.test(each)),
    lines.join('\n'),
  ).toHaveLength(1);
  expect(lines.join()).not.toContain('secret');
});

test.each<[number, Headers, string]>([
  [503, {}, 'the status is 503 instead of 200 Check the page of an existing article.'],
  [301, { location: '/live/1/' }, 'the status is 301 instead of 200 Check "/live/1/".'],
])('a page with status %i is not judged', async (status, headers, text) => {
  expect(await check(headers, headers, status)).toEqual([`wrong page: ${text}`]);
});

test('a site that does not respond is wrong', async () => {
  const [finding] = await checkLivePage(new URL('http://127.0.0.1:9/live/1'));
  expect(finding).toMatchObject({ topic: 'page', level: 'wrong' });
  expect(finding?.text).toContain('the connection to 127.0.0.1:9 failed');
});
