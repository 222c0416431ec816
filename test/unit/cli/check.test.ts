import { describe, expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { ServiceOptions } from '../../../fixtures/service.ts';
import { type CheckResult, checkService } from '../../../src/cli/check/check.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { resolveOptions } from '../../../src/options/resolve-options.ts';
import { temporaryService } from '../../helpers/use-service.ts';

const always = Number.POSITIVE_INFINITY;
const host = /http:\/\/127\.0\.0\.1:\d+/g;

const serve = (options?: ServiceOptions) =>
  temporaryService({ articles: makeArticles(6), ...options });

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
  [
    'has rows that equal their articles',
    {},
    'ok rows: all four fields, equal to the articles fetched one by one',
    'baseUrl trustList',
  ],
  [
    'has rows without a stable order',
    { order: 'unstable' },
    'wrong stability: the order of rows depends on `limit` and `offset`',
    'baseUrl',
  ],
])('a service that %s is described, with options for it', async (_, options, line, names) => {
  const { lines, suggested } = await check(await serve(options));
  expect(lines.join('\n')).toContain(line);
  if (names) expect(Object.keys(suggested ?? {}).join(' ')).toBe(names);
});

describe('the listing', () => {
  test.each([
    ['results', undefined, 'rows in `results`, `count` 6, with `next`', 'all 6'],
    ['results', false, 'rows in `results`, no `count`, no `next`', '6'],
    ['array', undefined, 'a bare array, no `count`, no `next`', '6'],
    ['items', true, 'rows in `items`, `count` 6, no `next`', 'all 6'],
    ['nested', undefined, 'rows in `data.results`, `count` 6, no `next`', 'all 6'],
  ] as const)('is described in the envelope %s, count %s', async (envelope, count, text, rows) => {
    const service = await serve({ envelope, ...(count === undefined ? {} : { count }) });
    const { lines } = await check(service);
    expect(lines).toContain(`ok service: responds with a listing: ${text}`);
    expect(lines).toContain(`ok pages: requested 500, received ${rows}`);
  });

  test('suggests to keep bodies in the mirror when it is long', async () => {
    const { suggested } = await check(
      await serve({ articles: makeArticles(2_000, { words: [1, 2] }) }),
    );
    expect(suggested).toMatchObject({ bodies: 'mirror' });
    expect((await check(await serve())).suggested).not.toHaveProperty('bodies');
  });

  test('may fail for large pages', async () => {
    const service = await serve();
    const isLarge = ({ limit = 0 }: { limit?: number }) => limit > 100;
    service.fail({ on: isLarge, times: always, fault: { kind: 'status', status: 413 } });
    const { lines } = await check(service);
    expect(lines.join('\n')).toContain('received all 6');
  });

  test('is requested with the `pageSize` of the site, which a service may refuse', async () => {
    const service = await serve();
    const isLarge = ({ limit = 0 }: { limit?: number }) => limit > 4;
    service.fail({ on: isLarge, times: always, fault: { kind: 'status', status: 400 } });
    expect((await check(service)).lines.join('\n')).toMatch(/^wrong service: GET .* responded 400/);
    const { lines } = await check(service, 30, { pageSize: 4 });
    expect(lines).toContain('ok pages: requested 4, received 4 of 6');
  });

  test('that changes during the check is not reported as one that ignores `offset`', async () => {
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
});

describe('the order', () => {
  test.each([[[3, 9, 1]], [['b', 'a']], [['7']], [['550e8400-e29b-41d4-a716-446655440000', 5]]])(
    'of the ids %j is unknown',
    async (ids) => {
      const articles = ids.map((id) => ({ id, title: 'T', content: 'C', cover_image: null }));
      const { lines } = await check(await serve({ articles }));
      expect(lines.join('\n')).toContain('unknown order: unknown: the ids are not in order → ');
    },
  );
});

describe('rows', () => {
  test('may be summaries', async () => {
    const { lines, suggested } = await check(await serve({ rows: 'summary' }));
    expect(lines).toContain(
      'note rows: summaries without a field that shows changes: every build sends a conditional request for each ' +
        'article, 6 now',
    );
    expect(suggested).not.toHaveProperty('trustList');
    const plain = await check(await serve({ rows: 'summary', validators: false }));
    expect(plain.lines.join('\n')).toContain('every build sends a request for each article, 6 now');
  });

  test('may be summaries with a field that shows changes', async () => {
    const articles = makeArticles(6).map((article, at) => ({
      ...article,
      updated_at: `2026-01-0${at + 1}`,
      updated_by: null,
    }));
    const { lines, suggested } = await check(await serve({ rows: 'summary', articles }));
    expect(lines.join('\n')).toContain('fetches those whose `updated_at` changed');
    expect(suggested).toMatchObject({ updatedField: 'updated_at' });
  });

  test('are not summaries because one of them is bad', async () => {
    const articles = [
      { id: '..', title: 'T' },
      { id: 9, title: 5, content: 'C', cover_image: null },
    ];
    const { lines } = await check(
      await serve({ articles: [...articles, ...makeArticles(3)] as never }),
    );
    expect(lines.join('\n')).toContain(
      'wrong rows: article "(row 1 of the listing)", field id: "..": ',
    );
    expect(lines).toContain('note rows: 3 of 4 have all four fields; 1 are summaries');
  });

  test('may contain something else than the articles', async () => {
    const service = await serve();
    const rewrite = (value: unknown) => ({ ...Object(value), title: 'Another' });
    service.fail({ on: 'article', times: always, fault: { kind: 'rewrite', rewrite } });
    const { lines, suggested } = await check(service);
    expect(lines.join('\n')).toContain(
      'all four fields, but 3 of 3 articles differ from their row',
    );
    expect(suggested).not.toHaveProperty('trustList');
  });
});

describe('articles', () => {
  test('that are listed but respond 404 are wrong', async () => {
    const service = await serve();
    const isSix = ({ kind, id }: { kind: string; id?: string }) => kind === 'article' && id === '6';
    service.fail({ on: isSix, times: always, fault: { kind: 'status', status: 404 } });
    const { lines } = await check(service);
    expect(lines.join('\n')).toContain(
      'wrong articles: "6" is listed, but the service responds 404 for it → ',
    );
  });

  test('with a wrong field are wrong', async () => {
    const articles = [{ id: 3, title: ['not text'], content: 'C', cover_image: null }];
    const { lines } = await check(await serve({ articles: articles as never }));
    expect(lines.join('\n')).toContain(
      'article "3", field title: expected text, got a list → Fix it in the service',
    );
  });

  test('may have more fields', async () => {
    const extras = [{ published_at: '2026-05-01T10:00:00Z', tags: ['a'] }, { author: 'B' }];
    const articles = makeArticles(2).map((article, index) => ({ ...article, ...extras[index] }));
    const { lines } = await check(await serve({ articles }));
    expect(lines).toContain(
      'ok fields: also `author`, `published_at`, `tags` → To use them, extend `articleSchema` in the content config.',
    );
  });

  test('may consist of brackets', async () => {
    const service = await serve();
    service.change(1, { content: '['.repeat(100_000) });
    service.change(2, { content: '<a '.repeat(40_000) });
    const { lines } = await check(service);
    expect(lines.join('\n')).not.toContain('relative links');
  });

  test('may have relative links', async () => {
    const contents = [
      'See [this](/about).',
      '[a](https://a.example) [b](#b) ![c](img.png)',
      '```\n[x](y)\n```',
      '---\ndate: 2026-01-01\n---\nText <a href="page.html">page</a>',
      '---\n\nA break\n\n---\n\nText',
    ];
    const articles = makeArticles(5).map((article, index) => ({
      ...article,
      content: contents[index],
    }));
    const { lines } = await check(await serve({ articles }));
    expect(lines.join('\n')).toContain('note bodies: 2 of 5 articles have relative links → ');
  });
});

describe('covers', () => {
  const withCovers = (covers: unknown[]) =>
    covers.map((cover_image, index) => ({ id: 9 - index, title: 'T', content: 'C', cover_image }));

  test('are downloaded, and the reason of each failure is named', async () => {
    const articles = withCovers([
      '/media/missing.png',
      'ftp://a.example/a.png',
      { url: '/media/tides.jpg' },
      '',
      'http://10.0.0.1/a.png?token=secret',
    ]);
    const { lines } = await check(await serve({ articles }));
    const text = lines.join('\n');
    expect(text).toContain('ok covers: 1 of 4 downloaded and decoded');
    expect(text).toContain('wrong covers: /media/missing.png: its server responded 404');
    expect(text).toMatch(/wrong covers: ftp:\/\/a\.example\/a\.png: .*not ftp:/);
    expect(text).toContain('wrong covers: http://10.0.0.1/a.png: 10.0.0.1 is not a public address');
    expect(text).not.toContain('secret');
  });

  test('covers of an unknown type are noted', async () => {
    const articles = withCovers([42, {}, ['a'], { file: 'x' }, null]);
    const { lines } = await check(await serve({ articles }));
    const text = lines.join('\n');
    expect(text).toContain('ok covers: none seen');
    expect(text).toContain(
      'note covers: unusable in 4 of the articles, for example in 9: expected a URL, got a number → ',
    );
    expect(lines.filter((line) => line.startsWith('wrong'))).toEqual([]);
  });
});

describe('the key', () => {
  test('is rejected', async () => {
    const service = await serve();
    const { lines, unchecked, used } = await check({ url: service.url, apiKey: 'a-wrong-key-x' });
    expect(used).toBe(1);
    expect(lines[0]).toBe('ok service: responds');
    expect(lines[1]).toMatch(/^wrong key: GET .* 403 .* → Check the key/);
    expect(unchecked).not.toContain('key');
    expect(unchecked).toContain('pages');
  });

  test('is not checked by the service', async () => {
    const service = await serve();
    const isWrong = ({ headers }: { headers: Record<string, unknown> }) =>
      headers['x-project-api-key'] !== service.apiKey;
    service.fail({ on: isWrong, times: always, fault: { kind: 'json', value: [] } });
    const { lines } = await check(service);
    expect(lines.join('\n')).toContain('note key: accepted, but so is a wrong one');
  });
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
