import { expect, test } from 'vitest';
import { makeArticles } from '../../../fixtures/articles.ts';
import type { FixtureService, ServiceOptions } from '../../../fixtures/service.ts';
import { temporaryServer } from '../../helpers/temporary.ts';
import { temporaryService } from '../../helpers/use-service.ts';
import { plain, run, start } from './cli.ts';

const serve = (options?: ServiceOptions) =>
  temporaryService({ articles: makeArticles(6, { cover: 'tides.jpg' }), ...options });

const always = Number.POSITIVE_INFINITY;

async function report(service: FixtureService, args: string[] = []) {
  const { out } = await run(['check', '--json', ...args], { env: service.env });
  return JSON.parse(out);
}

test('prints its findings and the suggested options', async () => {
  const service = await serve();
  const { status, out, err } = await run(['check'], { env: service.env });
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(plain(out)).toMatchInlineSnapshot(`
    "http://127.0.0.1:PORT/

    ✓ service   responds with a listing: rows in \`results\`, \`count\` 6, with \`next\`
    ✓ key       accepted; a wrong one is rejected (403)
    ✓ pages     requested 500, received all 6
    ✓ order     newest first, if higher ids are newer
    ✓ rows      all four fields, equal to the articles fetched one by one
    ✓ articles  3 fetched one by one
    ✓ covers    1 of 1 downloaded and decoded

    Options that suit this service:

    articles({
      baseUrl: 'http://127.0.0.1:PORT/',
      trustList: true
    })

    10 of at most 30 requests were sent.
    "
  `);
  expect(out).toContain(`${service.count()} of at most`);
});

test('prints one JSON document with --json', async () => {
  const service = await serve({ articles: makeArticles(6, { cover: 'missing.png' }) });
  const { baseUrl, requests, findings, ...document } = await report(service, ['--requests', '12']);
  expect(baseUrl).toBe(`${service.url}/`);
  expect(requests).toEqual({ used: service.count(), limit: 12 });
  expect(document).toEqual({
    ok: false,
    options: { baseUrl: `${service.url}/`, trustList: true },
    unchecked: [],
  });
  expect(findings).toContainEqual({
    topic: 'covers',
    level: 'wrong',
    text: '/media/missing.png: its server responded 404',
  });
  expect(findings[0]).toEqual({
    topic: 'service',
    level: 'ok',
    text: 'responds with a listing: rows in `results`, `count` 6, with `next`',
  });
});

test.each(['wrong', 'ok', 'service', 'key'])(
  'names each topic and level, also with the wrong key %j',
  async (key) => {
    const service = await serve();
    const env = { ...service.env, ARTICLES_API_KEY: key };
    const json = await start(['check', '--json'], { env }).ended;
    const { findings } = JSON.parse(json.out);
    expect(findings).toMatchObject([
      { topic: 'service', level: 'ok' },
      { topic: 'key', level: 'wrong' },
    ]);
    const { status, out } = await start(['check'], { env }).ended;
    expect(status).toBe(1);
    expect(out).toMatch(/^✗ key /m);
  },
);

test('names the section of the option that a fix names', async () => {
  const articles = makeArticles(6).map((article) => ({ ...article, updated_at: '2026-01-01' }));
  const service = await serve({ articles, rows: 'summary' });
  const { out } = await run(['check'], { env: service.env });
  expect(out).toMatch(/Set `updatedField`.*\n +See \S+\/reference\/options\.md#updatedfield\n/);
});

test('exits with 1 for a key that is rejected', async () => {
  const service = await serve();
  const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: 'an-unknown-key-x' };
  const { status, out } = await run(['check'], { env });
  expect(status).toBe(1);
  expect(out).toMatch(/✓ service {2}responds\n✗ key {6}GET .*\n {11}Check the key\. .*/);
  expect(out).toContain('1 of at most 30 requests were sent.');
  expect(service.count()).toBe(1);
});

test('hides the key, and control characters, where the service repeats them', async () => {
  const service = await serve();
  const { apiKey } = service;
  const body = JSON.stringify({ detail: `The key ${apiKey} \u001b[31m is not known` });
  service.fail({ on: 'list', times: always, fault: { kind: 'status', status: 403, body } });
  const { out } = await run(['check'], { env: service.env });
  expect(out).toContain('The key [the API key]  [31m is not known');
  const cover = `https://127.0.0.1/${apiKey}.png`;
  const echo = await serve({ articles: makeArticles(2, { cover }) });
  const shown = await run(['check'], { env: echo.env });
  expect(shown.out).toContain('https://127.0.0.1/[the API key].png: ');
});

test('does not hide the key in its own replacement', async () => {
  const service = await serve({ apiKey: 'the' });
  const body = JSON.stringify({ detail: 'What is the matter?' });
  service.fail({ on: 'list', times: always, fault: { kind: 'status', status: 403, body } });
  const { out } = await start(['check'], { env: service.env }).ended;
  expect(out).toContain('What is [the API key] matter?');
});

test('reports a service that hangs within 30 seconds', async () => {
  const { url } = await temporaryServer(() => {});
  const started = performance.now();
  const { status, out } = await run(['check'], {
    env: { ARTICLES_BASE_URL: url, ARTICLES_API_KEY: 'any-key-will-do' },
  });
  expect(performance.now() - started).toBeLessThan(30_000);
  expect(status).toBe(1);
  expect(out).toContain('✗ service  GET ');
  expect(out).toContain('no complete response within 10000 ms');
});

test('uses colours in a terminal only, or when FORCE_COLOR is set', async () => {
  const env = (await serve()).env;
  const coloured = '\u001b[';
  expect((await run(['check'], { env })).out).not.toContain(coloured);
  expect((await run(['check'], { env: { ...env, FORCE_COLOR: '1' } })).out).toContain(coloured);
  const both = { ...env, FORCE_COLOR: '0', NO_COLOR: '1' };
  expect((await run(['check'], { env: both })).out).not.toContain(coloured);
});
