import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import {
  type FixtureService,
  type ServiceOptions,
  startService,
} from '../../../fixtures/service.ts';
import { emptyFolder, plain, run } from './cli.ts';

async function serve(options: ServiceOptions = {}): Promise<FixtureService> {
  const service = await startService({
    articles: makeArticles(6, { cover: 'tides.jpg' }),
    ...options,
  });
  onTestFinished(() => service.close());
  return service;
}

const always = Number.POSITIVE_INFINITY;
const envOf = ({ url, apiKey }: { url: string; apiKey: string }) => ({
  ARTICLES_BASE_URL: url,
  ARTICLES_API_KEY: apiKey,
});

/** Runs `check`, and sees that it asked no more than it says. */
async function check(service: FixtureService, args: string[] = [], cwd?: string) {
  service.clearRequests();
  const ran = await run(['check', ...args], { env: envOf(service), ...(cwd ? { cwd } : {}) });
  const stated = /(\d+) of at most (\d+) requests/.exec(ran.out);
  if (stated) {
    expect(service.count()).toBe(Number(stated[1]));
    expect(service.count()).toBeLessThanOrEqual(Number(stated[2]));
  }
  return { ...ran, out: plain(ran.out) };
}

async function report(service: FixtureService, args: string[] = []) {
  const { out, status } = await check(service, ['--json', ...args]);
  return { ...JSON.parse(out), status };
}

it('tells what it found, and which options suit', async () => {
  const { status, out, err } = await check(await serve());
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out).toMatchInlineSnapshot(`
    "http://127.0.0.1:PORT/

    ✓ service     answers with a listing of articles
    ✓ key         accepted; a wrong one is refused (403)
    ✓ listing     rows in \`results\`, \`count\` 6, with \`next\`
    ✓ pages       of 500 asked for, 6 came, and there are no more
    ✓ order       newest first, if higher ids are newer
    ✓ rows        all four fields, the same as the articles say
    ✓ articles    3 fetched one by one
    ✓ ids         6 whole numbers
    ✓ drafts      0 of 6 without a title or without content
    ✓ covers      6 relative URL; 1 downloaded and decoded, 0 failed
    ✓ revalidate  listing with ETag, answers 304, article with ETag, answers 304
    ✓ throttling  none was met
    ✓ last slash  the address without it redirects (301); it is always sent
    ✓ time        N ms an answer (median), N ms the slowest

    Options that suit this service:

    articles({
      baseUrl: 'http://127.0.0.1:PORT/',
      trustList: true,
    })

    \`trustList\` makes the first sync 1 instead of 7 requests.
    11 of at most 30 requests were sent.
    "
  `);
});

it('gives the same facts as JSON', async () => {
  const { time, ...facts } = (await report(await serve())).facts;
  expect(time).toEqual({ median: expect.any(Number), slowest: expect.any(Number) });
  expect(facts).toMatchInlineSnapshot(`
    {
      "articles": {
        "fetched": 3,
        "problems": [],
        "sameAsRow": 3,
      },
      "badRows": [],
      "complete": true,
      "conditional": {
        "article": {
          "etag": true,
          "lastModified": false,
          "notModified": true,
        },
        "listing": {
          "etag": true,
          "lastModified": false,
          "notModified": true,
        },
      },
      "covers": {
        "failed": [],
        "forms": {
          "relative URL": 6,
        },
        "sampled": 1,
      },
      "drafts": {
        "among": 6,
        "found": 0,
      },
      "envFiles": [],
      "failure": null,
      "ids": {
        "whole numbers": 6,
      },
      "key": {
        "accepted": true,
        "wrongKeyStatus": 403,
      },
      "listing": {
        "askedFor": 500,
        "came": 6,
        "count": 6,
        "envelope": "results",
        "honoursLimit": true,
        "honoursOffset": true,
        "next": false,
        "pageLimit": "at-least",
      },
      "order": "newest-first",
      "reachable": true,
      "redirects": [],
      "rows": "full",
      "throttling": {
        "headers": {},
        "retryAfter": null,
        "throttled": 0,
      },
      "withoutSlash": 301,
    }
  `);
});

describe('of the listing it tells', () => {
  it.each([
    ['results', undefined, '`results`, `count` 6, with `next`'],
    ['results', false, '`results`, no `count`, no `next`'],
    ['array', undefined, 'a bare array, no `count`, no `next`'],
    ['items', true, '`items`, `count` 6, no `next`'],
    ['articles', undefined, '`articles`, no `count`, no `next`'],
    ['data', undefined, '`data`, no `count`, no `next`'],
    ['nested', undefined, '`data.results`, `count` 6, no `next`'],
  ] as const)('the envelope %s, count %s', async (envelope, count, text) => {
    const { out, status } = await check(
      await serve({ envelope, ...(count === undefined ? {} : { count }) }),
    );
    expect(out).toContain(`listing     ${text.startsWith('a ') ? '' : 'rows in '}${text}`);
    expect(out).toContain('of 500 asked for, 6 came, and there are no more');
    expect(status).toBe(0);
  });

  it.each(['results', 'array'] as const)('the page limit behind %s', async (envelope) => {
    const { out } = await check(await serve({ envelope, maxLimit: 4 }));
    expect(out).toContain('✓ pages       of 500 asked for, 4 came: that is the most a page holds');
  });

  it('a limit that is ignored', async () => {
    const { out } = await check(await serve({ ignoreLimit: true }));
    expect(out).toContain(
      '! pages       of 500 asked for, 6 came, and there are no more; `limit` is ignored',
    );
  });

  it('an offset that is ignored, which loses articles', async () => {
    const { out, status } = await check(await serve({ ignoreOffset: true, maxLimit: 4 }));
    expect(out).toContain('✗ pages       every `offset` gives the first rows again');
    expect(status).toBe(1);
  });

  it('that 500 at once are refused, and suggests less', async () => {
    const service = await serve();
    const isLarge = ({ limit = 0 }: { limit?: number }) => limit > 100;
    service.fail({ on: isLarge, times: always, fault: { kind: 'status', status: 400 } });
    const { out, status } = await check(service);
    expect(out).toContain('500 at once are refused; of 100 asked for, 6 came');
    expect(out).toContain('  pageSize: 100,\n');
    expect(status).toBe(0);
  });

  it('that it is empty', async () => {
    const { out, status } = await check(await serve({ articles: [] }));
    expect(out).toContain('✗ listing     rows in `results`, `count` 0, with `next`: no articles');
    expect(status).toBe(1);
  });

  it('the order, and suggests the option for it', async () => {
    const { out } = await check(await serve({ order: 'oldest-first' }));
    expect(out).toContain('✓ order       oldest first, if higher ids are newer');
    expect(out).toContain("  order: 'oldest-first',\n");
  });

  it.each([
    [[3, 9, 1], 'unknown, since the ids go up and down', '3 whole numbers'],
    [['b', 'a'], 'unknown, since the ids are no numbers', '2 text'],
    [['7'], 'unknown, since one article has none', '1 whole numbers as text'],
    [['550e8400-e29b-41d4-a716-446655440000', 5, 1], 'no numbers', '1 UUIDs, 2 whole numbers'],
  ])('of ids %j that the order is unknown', async (ids, order, form) => {
    const articles = ids.map((id) => ({ id, title: 'T', content: 'C', cover_image: null }));
    const { out, status } = await check(await serve({ articles }));
    expect(out).toContain(order);
    expect(out).toContain(`ids         ${form}`);
    expect(status).toBe(0);
  });

  it('rows without a usable id', async () => {
    const articles = [
      { id: '..', title: 'T', content: 'C', cover_image: null },
      ...makeArticles(2),
    ];
    const { out, status } = await check(await serve({ articles }));
    expect(out).toContain('✗ rows        (row 1 of the listing): "..": a URL cannot hold it');
    expect(status).toBe(1);
  });

  it('summaries, with which there is nothing to trust', async () => {
    const { out, status } = await check(await serve({ rows: 'summary' }));
    expect(out).toContain('! rows        summaries, so every build asks for each article');
    expect(out).toContain(
      '? drafts      0 of 3 without a title or without content; the rows do not tell',
    );
    expect(out).toContain('6 relative URL; 1 downloaded and decoded, 0 failed');
    expect(out).not.toContain('trustList');
    expect(status).toBe(0);
  });

  it('rows that say something else than the articles', async () => {
    const service = await serve();
    const rewrite = (value: unknown) => ({ ...Object(value), title: 'Another' });
    service.fail({ on: 'article', times: always, fault: { kind: 'rewrite', rewrite } });
    const { out } = await check(service);
    expect(out).toContain('all four fields, but 3 of 3 articles say something else');
    expect(out).not.toMatch(/^ +trustList/m);
  });
});

it('finds articles that cannot be used, and drafts', async () => {
  const articles = [
    { id: 3, title: ['not text'], content: 'C', cover_image: null },
    { id: 2, title: '', content: 'C', cover_image: null },
    { id: 1, title: 'T', content: null, cover_image: null },
  ];
  const { out, status } = await check(await serve({ articles }));
  expect(out).toContain(
    '✗ articles    2 fetched one by one; not usable: 3: title: expected string',
  );
  expect(out).toContain('2 of 2 without a title or without content');
  expect(status).toBe(1);
});

it('finds covers that fail, and says why', async () => {
  const covers = [
    '/media/missing.png',
    'ftp://a.example/a.png',
    { url: '/media/tides.jpg' },
    '',
    5,
  ];
  const articles = covers.map((cover_image, index) => ({
    id: 9 - index,
    title: 'T',
    content: 'C',
    cover_image,
  }));
  articles.push({
    id: 1,
    title: 'T',
    content: 'C',
    cover_image: 'http://10.0.0.1/a.png?token=secret',
  });
  const { out, status } = await check(await serve({ articles }));
  expect(out).toContain(
    '1 absolute ftp URL, 1 absolute http URL, 1 none, 1 not usable, 1 relative URL, 1 { url }, relative URL;',
  );
  expect(out).toContain('4 downloaded and decoded, 3 failed');
  expect(out).toContain('✗ cover       /media/missing.png: its server answered 404');
  expect(out).toContain('only http and https images are fetched, not ftp:');
  expect(out).toContain('http://10.0.0.1/a.png: 10.0.0.1 is not a public address');
  expect(out).not.toContain('secret');
  expect(status).toBe(1);
});

describe('the key', () => {
  it('is refused', async () => {
    const service = await serve();
    const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: 'a-key-nobody-knows' };
    const { status, out } = await run(['check'], { env });
    expect(status).toBe(1);
    expect(service.count()).toBe(1);
    expect(plain(out)).toMatchInlineSnapshot(`
      "http://127.0.0.1:PORT/

      ✓ service  answers
      ✗ key      GET http://127.0.0.1:PORT/api/integrations/project/articles/?limit=500&offset=0: the service refused the API key with 403 (it says: Authentication credentials were not provided).
                 Check the key: it is made in the service under Settings → Integrations → REST API → "Generate API key", is shown only once, and is read from ARTICLES_API_KEY unless \`apiKey\` is given.

      1 of at most 30 requests were sent.
      "
    `);
  });

  it('is accepted, but so is a wrong one', async () => {
    const articles = makeArticles(2);
    const url = await listen((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(articles));
    });
    const { out } = await run(['check'], { env: envOf({ url, apiKey: 'any-key-will-do' }) });
    expect(out).toContain('! key         accepted, but so is a wrong one');
  });

  it('is hidden where the service repeats it', async () => {
    const service = await serve();
    const { apiKey } = service;
    const body = JSON.stringify({ detail: `The key ${apiKey} \u001b[31m is not known` });
    service.fail({ on: 'list', times: always, fault: { kind: 'status', status: 403, body } });
    const shown = 'with 403 (it says: The key [the API key]  [31m is not known).';
    expect((await check(service)).out).toContain(shown);
    expect((await report(service)).facts.failure.message).toContain(shown);
    const cover = `https://127.0.0.1/${apiKey}.png`;
    const echo = await serve({ articles: makeArticles(2, { cover }) });
    expect((await check(echo)).out).toContain('https://127.0.0.1/[the API key].png: ');
    expect((await check(echo, ['--json'])).out).toContain('[the API key].png');
  });
});

describe('where there is no service', () => {
  it('says that nothing listens', async () => {
    const service = await serve();
    await service.close();
    const { status, out } = await run(['check'], { env: envOf(service) });
    expect(status).toBe(1);
    expect(plain(out)).toMatchInlineSnapshot(`
      "http://127.0.0.1:PORT/

      ✗ service  gives no answer: GET http://127.0.0.1:PORT/api/integrations/project/articles/?limit=500&offset=0: the connection to 127.0.0.1:PORT failed (ECONNREFUSED) (3 attempts).
                 Nothing listens there: check that the service is running, and host and port of \`baseUrl\`.
      ? key      nobody has looked at it

      3 of at most 30 requests were sent.
      "
    `);
  });

  it('says that a web page answers', async () => {
    const service = await serve();
    service.fail({ on: 'any', times: always, fault: { kind: 'html' } });
    const { status, out } = await check(service);
    expect(status).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "http://127.0.0.1:PORT/

      ✗ service  GET http://127.0.0.1:PORT/api/integrations/project/articles/?limit=500&offset=0: answered text/html instead of JSON (2 attempts).
                 A login page, a firewall or a wrong \`baseUrl\` looks like this: open the address in a browser, and check \`baseUrl\`.
      ? key      nobody has looked at it

      2 of at most 30 requests were sent.
      "
    `);
  });

  it('names the fields of an answer that is no listing', async () => {
    const service = await serve();
    service.fail({ on: 'list', times: always, fault: { kind: 'json', value: { stories: [] } } });
    const { status, out } = await check(service);
    expect(out).toContain('no list that can be told apart (fields: stories)');
    expect(status).toBe(1);
  });
});

describe('redirects', () => {
  it('are followed within the service, and the final address is suggested', async () => {
    const service = await serve({ basePath: '/v2' });
    const location = (path: string) => `${service.origin}/v2${path}`;
    const isOld = ({ path }: { path: string }) => path.startsWith('/old/');
    for (const path of ['?limit=500&offset=0', '?limit=2&offset=1', '?limit=1&offset=0']) {
      const list = `/api/integrations/project/articles/${path}`;
      const on = (record: { path: string }) => isOld(record) && record.path.endsWith(path);
      service.fail({
        on,
        times: always,
        fault: { kind: 'redirect', location: location(list), status: 301 },
      });
    }
    const { out } = await check(service, ['--base-url', `${service.origin}/old`]);
    expect(out).toContain(
      '! redirect    http://127.0.0.1:PORT/old/api/integrations/project/articles/ redirects (301) to http://127.0.0.1:PORT/v2/api/integrations/project/articles/',
    );
    expect(out).toContain('Give http://127.0.0.1:PORT/v2/ as `baseUrl`.');
    expect(out).toContain("  baseUrl: 'http://127.0.0.1:PORT/v2/',\n");
  });

  it('to another origin are not followed, and the key does not go there', async () => {
    const other = await serve();
    const service = await serve();
    const location = `${other.url}/api/integrations/project/articles/`;
    service.fail({ on: 'list', times: always, fault: { kind: 'redirect', location } });
    const { out, status } = await check(service);
    expect(out).toContain('which must not see the API key');
    expect(out).toContain('Give http://127.0.0.1:PORT/ as `baseUrl`.');
    expect(status).toBe(1);
    expect(other.count()).toBe(0);
  });
});

it('waits when the service throttles, and tells of it', async () => {
  const service = await serve();
  const headers = { 'retry-after': '1', 'x-ratelimit-limit': '60' };
  service.fail({ on: 'article', fault: { kind: 'status', status: 429, headers } });
  const { out, status } = await check(service);
  expect(out).toContain(
    '! throttling  answered 429 once with Retry-After: 1 (x-ratelimit-limit: 60)',
  );
  expect(out).toContain('  concurrency: 2,\n');
  expect(status).toBe(0);
});

it('tells validators that the service does not heed', async () => {
  const service = await serve();
  const isConditional = ({ headers }: { headers: object }) => 'if-none-match' in headers;
  service.fail({
    on: isConditional,
    times: always,
    fault: { kind: 'json', value: { results: [] } },
  });
  const { out } = await check(service);
  expect(out).toContain('listing with ETag, but never answers 304');
});

describe('the bound of requests', () => {
  it.each([1, 2, 3, 5, 8, 10, 11])(
    '%i is never exceeded, and the result says what is missing',
    async (limit) => {
      const articles = makeArticles(6).map((article, index) => ({
        ...article,
        cover_image: `/media/${['tides.jpg', 'missing.png', 'sky.webp'][index % 3]}`,
      }));
      const service = await serve({ articles });
      const { requests, facts } = await report(service, ['--requests', String(limit)]);
      expect(service.count()).toBe(limit);
      expect(requests).toEqual({ used: limit, limit });
      expect(facts.complete).toBe(false);
      expect(facts.covers).toMatchObject({ sampled: Math.max(0, limit - 10), failed: [] });
      expect((await check(service, ['--requests', String(limit)])).out).toContain(
        `${limit} of at most ${limit} requests were sent, so not everything was asked (--requests).`,
      );
    },
  );

  it('holds for retries and redirects, too', async () => {
    const service = await serve();
    service.fail({ on: 'list', times: always, fault: { kind: 'status', status: 500 } });
    const failing = await check(service, ['--requests', '2']);
    expect(service.count()).toBe(2);
    expect(failing.out).toContain('✗ service  no listing came: no request was left (--requests 2)');
    expect(failing.status).toBe(1);
    const turning = await serve();
    turning.fail({ on: 'media', times: always, fault: { kind: 'redirect', location: '?again' } });
    const { out } = await check(turning, ['--requests', '12']);
    expect(out).toContain('12 of at most 12');
  });
});

describe('git', () => {
  async function repository(ignored: string): Promise<string> {
    const folder = await emptyFolder();
    execFileSync('git', ['init', '-q'], { cwd: folder });
    await writeFile(join(folder, '.gitignore'), ignored);
    return folder;
  }

  it.each([
    ['.env\n', '✓ git         ignores .env, which holds the key', 0],
    ['', '✗ git         does not ignore .env, which holds the key', 1],
  ])('with the .gitignore %j', async (ignored, text, status) => {
    const folder = await repository(ignored);
    const service = await serve();
    const { url, apiKey } = service;
    await writeFile(join(folder, '.env'), `ARTICLES_BASE_URL=${url}\nARTICLES_API_KEY=${apiKey}\n`);
    await writeFile(join(folder, '.env.example'), 'ARTICLES_API_KEY=the-key-of-your-project\n');
    const ran = await run(['check'], { cwd: folder });
    expect(ran.out).toContain(text);
    expect(ran.out).not.toContain('.env.example');
    expect(ran.out + ran.err).not.toContain(apiKey);
    expect(ran.status).toBe(status);
  });

  it('is part of what the README shows', async () => {
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const [shown = ''] = /^https:\/\/app\.example\.com\/\n\n✓[\s\S]*?(?=```)/m.exec(readme) ?? [];
    const folder = await repository('.env\n');
    const service = await startService();
    onTestFinished(() => service.close());
    await writeFile(join(folder, '.env'), `ARTICLES_API_KEY=${service.apiKey}\n`);
    const { out } = await check(service, ['--root', folder]);
    expect(out.replaceAll('http://127.0.0.1:PORT', 'https://app.example.com')).toBe(plain(shown));
  });

  it('counts a file that is kept already as not ignored', async () => {
    const folder = await repository('.env\n');
    const service = await serve();
    await writeFile(join(folder, '.env'), `ARTICLES_API_KEY=${service.apiKey}\n`);
    execFileSync('git', ['add', '-f', '.env'], { cwd: folder });
    const { out, status } = await check(service, ['--root', folder]);
    expect(out).toContain('does not ignore .env');
    expect(status).toBe(1);
  });
});

it('has no colours in a pipe, and shows them when told to', async () => {
  const service = await serve();
  const env = envOf(service);
  const coloured = '\u001b[';
  expect((await run(['check'], { env })).out).not.toContain(coloured);
  expect((await run(['check'], { env: { ...env, FORCE_COLOR: '1' } })).out).toContain(coloured);
  const both = { ...env, FORCE_COLOR: '0', NO_COLOR: '1' };
  expect((await run(['check'], { env: both })).out).not.toContain(coloured);
});

/** Starts a server that is no fixture service, and gives its address. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
