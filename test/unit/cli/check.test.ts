import { describe, expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { Fault, FaultRule, ServiceOptions } from '../../../fixtures/service.ts';
import { type CheckResult, checkService } from '../../../src/cli/check/check.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { resolveOptions } from '../../../src/options/resolve-options.ts';
import { temporaryService } from '../../helpers/use-service.ts';

const always = Number.POSITIVE_INFINITY;
const host = /http:\/\/127\.0\.0\.1:\d+/g;

const serve = (options?: ServiceOptions) =>
  temporaryService({ articles: makeArticles(6), ...options });

const articlesWith = (...fields: object[]) =>
  makeArticles(fields.length).map((article, index) => ({ ...article, ...fields[index] }));

/** Checks a service in this process. */
async function check(
  { url, apiKey }: { url: string; apiKey: string },
  limit = 30,
  loader: ArticlesOptions = {},
) {
  const options = resolveOptions({
    loader: { baseUrl: url, apiKey, ...loader },
    integration: {},
    environment: {},
    command: 'build',
  });
  const result = await checkService(options, limit);
  const { findings, unchecked, options: suggested, requests } = result;
  return { findings, unchecked, suggested, lines: linesOf(result), used: requests.used };
}

/** Formats one line for each finding, with a fixed port. */
function linesOf({ findings }: CheckResult): string[] {
  const lines = findings.map(({ topic, level, text, fix }) =>
    [`${level} ${topic}: ${text}`, ...(fix ? [fix] : [])].join(' → '),
  );
  return lines.map((line) => line.replaceAll(host, 'http://host'));
}

/** A service by its description, a line about it, and the names of the options that suit it. */
test.each<[string, ServiceOptions, string, string?]>([
  ['lists nothing', { articles: [] }, 'rows in `results`, `count` 0, with `next`, but no articles'],
  ['limits its pages', { maxLimit: 4 }, 'ok pages: requested 500, received 4 of 6'],
  ['ignores `limit`', { ignoreLimit: true }, 'ok pages: requested 500, received all 6'],
  [
    'ignores `limit` and `offset`',
    { ignoreLimit: true, ignoreOffset: true },
    'ok pages: the whole list at once, 6 rows: `limit` and `offset` are ignored',
  ],
  [
    'returns only the first page',
    { ignoreOffset: true, maxLimit: 4 },
    'wrong pages: every `offset` returns the first rows → The service has to support `offset`: no ' +
      'article after the first 4 can be listed.',
  ],
  [
    'lists the oldest articles first',
    { order: 'oldest-first' },
    'ok order: oldest first, if higher ids are newer',
    'baseUrl order trustList',
  ],
  ...[[3, 9, 1], ['b', 'a'], ['7'], ['550e8400-e29b-41d4-a716-446655440000', 5]].map(
    (ids): [string, ServiceOptions, string] => [
      `lists the ids ${ids}`,
      { articles: articlesWith(...ids.map((id) => ({ id }))) },
      'unknown order: unknown: the ids are not in order → ',
    ],
  ),
  [
    'has rows that equal their articles',
    {},
    'ok rows: all four fields, equal to the articles fetched one by one',
    'baseUrl trustList',
  ],
  [
    'has rows without a stable order',
    { order: 'unstable' },
    'wrong stability: the order of rows depends on `limit` and `offset`: in pages of 2, ',
    'baseUrl',
  ],
  [
    'has summaries as rows',
    { rows: 'summary' },
    'note rows: summaries without a field that shows changes: every build sends a request for each article, 6 now',
    'baseUrl',
  ],
  [
    'has summaries with a field that shows changes',
    {
      rows: 'summary',
      articles: articlesWith(
        { updated_at: '2026-01-01', updated_by: null },
        { updated_at: '2026-01-02', updated_by: null },
      ),
    },
    'a later build fetches those whose `updated_at` changed',
    'baseUrl updatedField',
  ],
  [
    'is large',
    { articles: makeArticles(2_000, { words: [1, 2] }) },
    'received 500 of 2000',
    'baseUrl bodies trustList',
  ],
  [
    'has bad rows',
    {
      articles: [
        { id: '..', title: 'T', content: '', cover_image: null },
        { id: 9, title: 5, content: 'C', cover_image: null },
        ...makeArticles(3),
      ],
    },
    'wrong rows: article "(row 1 of the listing)", field id: "..": ',
    'baseUrl',
  ],
  [
    'has rows with a wrong field',
    { articles: articlesWith({}, { title: 5 }) },
    'note rows: 1 of 2 have all four fields; 1 are summaries',
  ],
  [
    'has articles with a wrong field',
    { articles: articlesWith({ id: 3, title: ['not text'] }) },
    'article "3", field title: expected text, got a list → Fix it in the service',
  ],
  [
    'has more fields',
    { articles: articlesWith({ published_at: '2026-05-01', tags: ['a'] }, { author: 'B' }) },
    'ok fields: also `author`, `published_at`, `tags` → To use them, extend `articleSchema` in the content config.',
  ],
  [
    'has relative links',
    {
      articles: articlesWith(
        { content: 'See [this](/about).' },
        { content: '[a](https://a.example) [b](#b) ![c](img.png)' },
        { content: '```\n[x](y)\n```' },
        { content: '---\ndate: 2026-01-01\n---\nText <a href="page.html">page</a>' },
        { content: '---\n\nA break\n\n---\n\nText' },
      ),
    },
    'note bodies: 2 of 5 articles have relative links → ',
  ],
  [
    'has covers of unknown types',
    {
      articles: articlesWith(
        ...[42, {}, ['a'], { file: 'x' }, null].map((cover) => ({ cover_image: cover })),
      ),
    },
    'note covers: unusable in 4 of the articles, for example in 5: expected a URL, got a number → ',
  ],
])('a service that %s is described, with options for it', async (_, options, line, names) => {
  const { lines, suggested } = await check(await serve(options));
  expect(lines.join('\n')).toContain(line);
  if (names) expect(Object.keys(suggested ?? {}).join(' ')).toBe(names);
});

test.each([
  ['results', undefined, 'rows in `results`, `count` 6, with `next`', 'all 6'],
  ['results', false, 'rows in `results`, no `count`, no `next`', '6'],
  ['array', undefined, 'a bare array, no `count`, no `next`', '6'],
  ['items', true, 'rows in `items`, `count` 6, no `next`', 'all 6'],
  ['nested', undefined, 'rows in `data.results`, `count` 6, no `next`', 'all 6'],
] as const)('the envelope %s with count %s is described', async (envelope, count, text, rows) => {
  const service = await serve({ envelope, ...(count === undefined ? {} : { count }) });
  const { lines } = await check(service);
  expect(lines).toContain(`ok service: responds with a listing: ${text}`);
  expect(lines).toContain(`ok pages: requested 500, received ${rows}`);
});

/** Some requests to a service, what their responses are, and a line about it. */
test.each<[string, FaultRule['on'], Fault, string]>([
  [
    'large pages fail',
    ({ limit = 0 }) => limit > 100,
    { kind: 'status', status: 413 },
    'ok pages: requested 500, received all 6',
  ],
  [
    'pages are refused',
    ({ limit = 0 }) => limit > 4,
    { kind: 'status', status: 400 },
    'wrong service: GET ',
  ],
  [
    'articles differ from their rows',
    'article',
    { kind: 'rewrite', rewrite: (value) => ({ ...Object(value), title: 'Another' }) },
    'note rows: all four fields, but 3 of 3 articles differ from their row → ',
  ],
  [
    'a listed article is missing',
    ({ kind, id }) => kind === 'article' && id === '6',
    { kind: 'status', status: 404 },
    'wrong articles: "6" is listed, but the service responds 404 for it → ',
  ],
  [
    'a wrong key is accepted',
    ({ headers }) => headers['x-project-api-key'] === 'astro-articles-check-sends-a-wrong-key',
    { kind: 'json', value: [] },
    'note key: accepted; with a wrong one, the status is 200: the service may not check',
  ],
])('a service where %s is described', async (_, on, fault, line) => {
  const service = await serve();
  service.fail({ on, times: always, fault });
  const { lines, suggested } = await check(service);
  expect(lines.join('\n')).toContain(line);
  if (/wrong articles|differ/.test(line)) expect(suggested).not.toHaveProperty('trustList');
});

test('the listing is requested with the `pageSize` of the site', async () => {
  const { lines } = await check(await serve(), 30, { pageSize: 4 });
  expect(lines).toContain('ok pages: requested 4, received 4 of 6');
});

test('a listing that changes during the check is not reported as one that ignores `offset`', async () => {
  const service = await serve();
  let added = 100;
  service.beforeResponse = ({ kind, offset }) => {
    if (kind === 'list' && offset)
      service.add({ id: added++, title: 'T', content: 'C', cover_image: null });
  };
  const { lines } = await check(service);
  expect(lines.filter((line) => line.startsWith('wrong'))).toEqual([]);
  expect(lines.join('\n')).toContain('pages: requested 500, received all 6');
});

test('articles that consist of brackets take no time', async () => {
  const contents = ['['.repeat(100_000), '<a '.repeat(40_000)];
  const articles = articlesWith(...contents.map((content) => ({ content })));
  const { lines } = await check(await serve({ articles }));
  expect(lines.join('\n')).not.toContain('relative links');
});

test('covers are downloaded, and the reason of each failure is named', async () => {
  const covers = [
    '/media/missing.png',
    'ftp://a.example/a.png',
    { url: '/media/tides.jpg' },
    '',
    'http://10.0.0.1/a.png?token=secret',
  ];
  const articles = articlesWith(...covers.map((cover) => ({ cover_image: cover })));
  const { lines } = await check(await serve({ articles }));
  const text = lines.join('\n');
  expect(text).toContain('ok covers: 1 of 4 downloaded and decoded');
  expect(text).toContain('wrong covers: /media/missing.png: its server responded 404');
  expect(text).toMatch(/wrong covers: ftp:\/\/a\.example\/a\.png: .*not ftp:/);
  expect(text).toContain('wrong covers: http://10.0.0.1/a.png: 10.0.0.1 is not a public address');
  expect(text).not.toContain('secret');
});

test('a key that is rejected costs one request', async () => {
  const service = await serve();
  const { lines, unchecked, used } = await check({ url: service.url, apiKey: 'a-wrong-key-x' });
  expect(used).toBe(1);
  expect(lines[0]).toBe('ok service: responds');
  expect(lines[1]).toMatch(/^wrong key: GET .* 403 .* → Check the key/);
  expect(unchecked).not.toContain('key');
  expect(unchecked).toContain('pages');
});

describe('the limit of requests', () => {
  test.each([1, 2, 3, 5, 8])('%i is never exceeded, and topics are missing', async (limit) => {
    const articles = makeArticles(6).map((article, index) => ({
      ...article,
      cover_image: `/media/${['tides.jpg', 'sky.webp', 'snow.jpg'][index % 3]}`,
    }));
    const service = await serve({ articles });
    const { used, unchecked, findings } = await check(service, limit);
    expect(used).toBeLessThanOrEqual(limit);
    expect(service.count()).toBeLessThanOrEqual(used);
    expect(unchecked).toContain('covers');
    expect(findings.every(({ level }) => level !== 'wrong')).toBe(true);
  });

  test('counts retries', async () => {
    const service = await serve();
    service.fail({ on: 'list', times: always, fault: { kind: 'status', status: 500 } });
    const { lines } = await check(service, 1);
    expect(service.count()).toBe(1);
    expect(lines[0]).toContain('wrong service: the limit of 1 requests was reached');
  });
});
