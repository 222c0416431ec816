import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { problemsOf } from '../../../src/client/article-problems.ts';
import { createArticlesClient } from '../../../src/client/index.ts';
import { FailureError } from '../../../src/http/failure.ts';
import { createRequester } from '../../../src/http/request.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import {
  apiKey,
  articleOf,
  clientOf,
  createFastClock,
  failureOf,
  type Handler,
  sendJson,
  serve,
  timeout,
} from './server.ts';

const path = '/api/integrations/project/articles/';

/** Responds to the first requests with a failure, and then with an empty listing. */
function failing(times: number, fail: (response: ServerResponse) => void): Handler {
  let count = 0;
  return (_, response) => {
    count += 1;
    if (count <= times) fail(response);
    else sendJson(response, []);
  };
}

/** Starts a service whose responses for the article `bad` are sent by `fail`. */
function listing(ids: string[], bad: string, fail: (response: ServerResponse) => void): Handler {
  return ({ id }, response) => {
    if (id === undefined)
      sendJson(response, { count: ids.length, next: null, results: ids.map(articleOf) });
    else if (id === bad) fail(response);
    else sendJson(response, articleOf(id));
  };
}

describe('a request', () => {
  it('carries the key, and the name of the package', async () => {
    const server = await serve(failing(0, () => {}));
    const { client } = clientOf(server.url);
    expect(await client.listPage()).toEqual({ rows: [], envelope: '(array)' });
    expect(server.paths).toEqual([`${path}?limit=500&offset=0`]);
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      'x-project-api-key': apiKey,
      'user-agent': expect.stringMatching(/^astro-articles\/\d/),
    });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['a connection that closes', (response) => response.socket?.destroy()],
    ['a connection that is reset', (response) => response.socket?.resetAndDestroy()],
    [
      'a body that breaks off',
      (response) => {
        response.writeHead(200, { 'content-length': 100 }).write('[');
        setTimeout(() => response.socket?.destroy(), 20);
      },
    ],
    [
      'a gzip body that is cut',
      (response) => {
        const body = gzipSync(JSON.stringify(Array.from({ length: 99 }, () => Math.random())));
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(body.subarray(0, 400));
      },
    ],
    ['a response that never comes', () => {}],
    ['a body that stalls', (response) => void response.writeHead(200).write('[')],
    ['a 503', (response) => sendJson(response, {}, 503)],
    ['a 429', (response) => sendJson(response, {}, 429)],
    ['a 408', (response) => sendJson(response, {}, 408)],
  ])('is repeated after %s', async (_, fail) => {
    const server = await serve(failing(1, fail));
    const { client, clock } = clientOf(server.url);
    expect((await client.listPage()).rows).toEqual([]);
    expect(client.traffic()).toMatchObject({ requests: 2, retries: 1 });
    expect(clock.waits).toEqual([250]);
  });

  it('fails after its last attempt with the URL, the reason and a hint', async () => {
    const server = await serve(
      failing(9, (response) => sendJson(response, { detail: 'Down.' }, 502)),
    );
    const { client } = clientOf(server.url, { retry: { limit: 2 } });
    const error = await failureOf(client.listPage());
    expect(error).toMatchObject({
      name: 'ArticlesRequestError',
      code: 'server-error',
      status: 502,
      attempts: 3,
      reason: 'responded 502: Down',
      url: `${server.url}${path}?limit=500&offset=0`,
      message: `GET ${server.url}${path}?limit=500&offset=0: responded 502: Down (3 attempts).`,
      hint: expect.stringMatching(
        /^Try again later\. If the failure persists, the service has to be fixed\.$/m,
      ),
    });
  });

  it('keeps the cause of a failed connection', async () => {
    const server = await serve(failing(9, (response) => response.socket?.resetAndDestroy()));
    const { client } = clientOf(server.url, { retry: { limit: 0 } });
    const error = await failureOf(client.listPage());
    expect(error).toMatchObject({ code: 'network', reason: expect.stringContaining('ECONNRESET') });
    expect(error.cause).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    expect(error.stack).toContain('ArticlesRequestError');
  });

  it('never has the key in its error, even if a custom fetch does', async () => {
    const telling = async (_: string, init: RequestInit) => {
      const cause = Object.assign(new Error(`sent ${JSON.stringify(init)}`), { code: 'EODD' });
      throw Object.assign(new TypeError(`failed: ${apiKey}`, { cause }), { config: init });
    };
    const { client } = clientOf('https://app.example.com', { fetch: telling, retry: { limit: 0 } });
    const error = await failureOf(client.listPage());
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey);
    expect(error.cause).toMatchObject({
      message: 'failed: [the API key]',
      cause: { code: 'EODD' },
    });
  });

  it.each([
    ['detail', { detail: `no ${apiKey}\u0007 \u001b[31m \u202e` }],
    ['message', { message: `no ${apiKey}\u0007 \u001b[31m \u202e`, error: 'x' }],
    ['error', { error: `no ${apiKey}\u0007 \u001b[31m \u202e` }],
  ])('shows the %s of an error response, without key and control characters', async (_, body) => {
    const server = await serve((_, response) => sendJson(response, body, 400));
    const { message } = await failureOf(clientOf(server.url).client.listPage());
    expect(message).toMatch(/: responded 400: no \[the API key\] +\[31m \\u\{202e\}\.$/);
  });

  it('ends at once when it is aborted, wherever it is', async () => {
    for (const fail of [
      () => {},
      (response: ServerResponse) => void response.writeHead(200).write('['),
      (response: ServerResponse) => sendJson(response, {}, 500),
    ]) {
      const server = await serve((_, response) => fail(response));
      const client = createArticlesClient({ baseUrl: server.url, apiKey });
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('enough')), 50);
      await expect(client.listPage({}, { signal: abort.signal })).rejects.toThrow('enough');
      // A request that was already sent may still arrive.
      await sleep(30);
      const { length } = server.paths;
      await sleep(30);
      expect(server.paths).toHaveLength(length);
    }
  });

  it('ends with the time of the whole call', async () => {
    const server = await serve(() => {});
    const client = createArticlesClient({ baseUrl: server.url, apiKey, totalTimeout: 80 });
    const error = await failureOf(client.listPage());
    expect(error).toMatchObject({ code: 'total-timeout', attempts: 1 });
    expect(error.message).toContain('the time limit `totalTimeout` was reached');
  });

  it('stops a body that is still sent after its time, though the fetch ignores the signal', async () => {
    let isStopped = false;
    const body = new ReadableStream({
      async pull(controller) {
        await sleep(20);
        controller.enqueue(new TextEncoder().encode(' '));
      },
      cancel() {
        isStopped = true;
      },
    });
    const responses = [new Response(body), Response.json([])];
    const fetch = async () => responses.shift() ?? Response.error();
    const { client } = clientOf('https://app.example.com', { fetch });
    expect((await client.listPage()).rows).toEqual([]);
    await expect.poll(() => isStopped).toBe(true);
  });

  it('passes an error of `read` on to the caller, and is not repeated', async () => {
    const server = await serve(failing(0, () => {}));
    const mistake = new TypeError('a mistake of the caller');
    const { request, traffic } = requesterOf();
    const spec = {
      url: new URL(server.url),
      maxBytes: 100,
      read: () => {
        throw mistake;
      },
    };
    await expect(request(spec, { deadline: 1e9 })).rejects.toBe(mistake);
    expect(traffic().requests).toBe(1);
  });

  it('is repeated when `read` fails the attempt', async () => {
    const server = await serve(failing(0, () => {}));
    const { request, traffic } = requesterOf();
    let calls = 0;
    const read = async (body: Uint8Array, { status }: { status: number }) => {
      calls += 1;
      if (calls < 3) throw new FailureError({ code: 'bad-json', reason: 'corrupt' });
      return { status, text: new TextDecoder().decode(body) };
    };
    const spec = { url: new URL(server.url), maxBytes: 100, read };
    expect(await request(spec, { deadline: 1e9 })).toEqual({ status: 200, text: '[]' });
    expect(traffic().requests).toBe(3);
  });

  it('accepts other statuses, and has headers of its own', async () => {
    const server = await serve(({ headers }, response) => {
      response.writeHead(headers['if-none-match'] === '"a"' ? 304 : 200, { etag: '"b"' }).end();
    });
    const { request } = requesterOf();
    const read = (_: Uint8Array, { status, headers }: { status: number; headers: Headers }) =>
      `${status} ${headers.get('etag')}`;
    const spec = { url: new URL(server.url), maxBytes: 100, acceptStatus: [200, 304], read };
    const headers = { 'if-none-match': '"a"' };
    expect(await request({ ...spec, headers }, { deadline: 1e9 })).toBe('304 "b"');
  });
});

function requesterOf(redirects: 'same-origin' | 'any-origin' = 'same-origin') {
  return createRequester({
    fetch: (url, init) => fetch(url, init),
    headers: { 'x-secret': 'of-this-test' },
    redirects,
    redact: (text) => text,
    concurrency: 2,
    timeout,
    retry: { limit: 4, maxDelay: 1_000 },
    clock: createFastClock(),
  });
}

describe('a redirect', () => {
  it('to the same origin is followed', async () => {
    const server = await serve(({ query }, response) => {
      if (query.has('moved')) sendJson(response, []);
      else response.writeHead(301, { location: `${path}?moved` }).end();
    });
    expect((await clientOf(server.url).client.listPage()).rows).toEqual([]);
  });

  it('in a loop ends after five', async () => {
    const server = await serve((_, response) => response.writeHead(302, { location: path }).end());
    const error = await failureOf(clientOf(server.url).client.listPage());
    expect(error).toMatchObject({ code: 'redirect' });
    expect(server.paths).toHaveLength(6);
  });

  it.each([301, 302, 303, 307, 308])('to another origin is refused (%i)', async (status) => {
    const other = await serve(failing(0, () => {}));
    const location = `${other.url}${path}`;
    const server = await serve((_, response) => response.writeHead(status, { location }).end());
    const error = await failureOf(clientOf(server.url).client.listPage());
    expect(error).toMatchObject({ code: 'redirect' });
    expect(error.message).toContain(
      `redirects from ${server.url} to ${other.url}, which must not receive the API key`,
    );
    expect(other.paths).toEqual([]);
  });

  it.each([
    '',
    'http://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:pw@127.0.0.1/',
  ])('to %j is refused', async (location) => {
    const server = await serve((_, response) => response.writeHead(302, { location }).end());
    for (const redirects of ['same-origin', 'any-origin'] as const) {
      const spec = { url: new URL(server.url), maxBytes: 9, read: () => 0 };
      const error = await failureOf(requesterOf(redirects).request(spec, { deadline: 1e9 }));
      expect(error).toMatchObject({ code: 'redirect', attempts: 1 });
      expect(error.message).not.toContain('pw');
    }
  });

  it('to another origin is followed where there is no secret, but never from https to http', async () => {
    const other = await serve((_, response) => sendJson(response, 'here'));
    const server = await serve((_, response) =>
      response.writeHead(302, { location: `${other.url}/x` }).end(),
    );
    const read = (body: Uint8Array) => new TextDecoder().decode(body);
    const requester = requesterOf('any-origin');
    const spec = { url: new URL(server.url), maxBytes: 99, read };
    expect(await requester.request(spec, { deadline: 1e9 })).toBe('"here"');

    const toHttp = createRequester({
      fetch: async () => new Response(null, { status: 302, headers: { location: other.url } }),
      headers: {},
      redirects: 'any-origin',
      redact: (text) => text,
      concurrency: 1,
      timeout,
      retry: { limit: 0, maxDelay: 0 },
      clock: systemClock,
    });
    const fromHttps = { ...spec, url: new URL('https://app.example.com') };
    const error = await failureOf(toHttp.request(fromHttps, { deadline: systemClock.now() + 999 }));
    expect(error).toMatchObject({ code: 'redirect', reason: expect.stringContaining('not https') });
  });
});

describe('one article that fails leaves the others usable', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const statuses = [203, 206, 400, 402, 405, 422, 451, 500, 501];

  test.each(statuses)('a %i is the article’s own failure', async (status) => {
    const server = await serve(listing(ids, 'c', (response) => sendJson(response, {}, status)));
    const { client } = clientOf(server.url);
    const error = await failureOf(client.getArticle('c'));
    const probe = () => client.listPage({ limit: 1 });
    expect(await problemsOf(error, { id: 'c', probe })).toMatchObject([{ id: 'c' }]);
    expect(await client.getArticle('a')).toMatchObject({ id: 'a' });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    [
      'a redirect to another origin',
      (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    ],
    [
      'bytes that are not UTF-8',
      (response) => response.end(Buffer.from('{"id":"c","title":"\xe9"}', 'latin1')),
    ],
    ['70 levels', (response) => response.end(`{"id":"c","x":${'['.repeat(70)}${']'.repeat(70)}}`)],
    [
      'a web page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    ],
    ['another article', (response) => sendJson(response, articleOf('d'))],
    ['a field of another type', (response) => sendJson(response, { ...articleOf('c'), title: 7 })],
  ])('%s is the article’s own failure', async (_, fail) => {
    const server = await serve(listing(ids, 'c', fail));
    const { client } = clientOf(server.url);
    const error = await failureOf(client.getArticle('c'));
    const probe = () => client.listPage({ limit: 1 });
    expect(await problemsOf(error, { id: 'c', probe })).toMatchObject([{ id: 'c' }]);
  });

  test.each<[string, string, (response: ServerResponse) => void]>([
    ['a 401', 'unauthorized', (response) => sendJson(response, {}, 401)],
    ['a 403', 'unauthorized', (response) => sendJson(response, {}, 403)],
    ['a reset', 'network', (response) => response.socket?.resetAndDestroy()],
    ['a hang', 'timeout', () => {}],
  ])('%s may be, and another request decides', async (_, code, fail) => {
    const server = await serve(listing(ids, 'c', fail));
    const { client } = clientOf(server.url);
    const error = await failureOf(client.getArticle('c'));
    expect(error).toMatchObject({ code });
    await expect(problemsOf(error, { id: 'c' })).rejects.toBe(error);
    const probe = () => client.listPage({ limit: 1 });
    expect(await problemsOf(error, { id: 'c', probe })).toMatchObject([{ id: 'c' }]);
  });

  test.each([
    ['', 9],
    ['60', 3],
    ['120', 2],
  ])('a 429 for ever with Retry-After %j ends after %i attempts', async (wait, attempts) => {
    const headers = wait ? { 'retry-after': wait } : {};
    const server = await serve(
      listing(ids, 'c', (response) => response.writeHead(429, headers).end()),
    );
    const { client } = clientOf(server.url);
    const results = await Promise.allSettled(ids.map((id) => client.getArticle(id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(results[2]).toMatchObject({
      status: 'rejected',
      reason: { code: 'throttled', status: 429, attempts },
    });
  });

  test('a service that responds 429 to every request is waited for, as long as there is time', async () => {
    const server = await serve(
      failing(12, (response) => response.writeHead(429, { 'retry-after': '30' }).end()),
    );
    const { client } = clientOf(server.url);
    expect((await client.listPage()).rows).toEqual([]);
    expect(client.traffic()).toEqual({ requests: 13, retries: 12, pauses: 12, unchanged: 0 });
  });

  test('a page with one bad row keeps the others', async () => {
    const page = `{"count":2,"results":[{"id":"bad","title":"caf\xe9"},${JSON.stringify(articleOf('a'))}]}`;
    const server = await serve((_, response) => response.end(Buffer.from(page, 'latin1')));
    const rows: unknown[] = [];
    const result = await clientOf(server.url).client.survey({
      onRows: (page) => void rows.push(...page),
    });
    expect(result).toMatchObject({ ids: ['bad', 'a'], problems: [] });
    expect(rows).toEqual([
      { id: 'bad', idType: 'text', extra: {} },
      {
        id: 'a',
        idType: 'text',
        extra: {},
        article: expect.objectContaining({ title: 'Title a' }),
      },
    ]);
  });
});

describe('a 429', () => {
  it('makes all requests wait, and then fewer are sent at a time', async () => {
    let count = 0;
    let active = 0;
    const arrivals: number[] = [];
    const waiting: (() => void)[] = [];
    const server = await serve(({ id = '' }, response) => {
      count += 1;
      active += 1;
      arrivals.push(active);
      const status = count === 9 ? 429 : 200;
      const respond = () => {
        active -= 1;
        sendJson(response, status === 429 ? {} : articleOf(id), status);
      };
      // The first eight get their responses once all of them have arrived.
      if (count < 8) waiting.push(respond);
      else for (const each of [...waiting.splice(0), respond]) setTimeout(each, 20);
    });
    const { client } = clientOf(server.url);
    const ids = Array.from({ length: 60 }, (_, id) => `${id}`);
    const articles = await Promise.all(ids.map((id) => client.getArticle(id)));
    expect(articles.map((article) => article?.id)).toEqual(ids);
    expect(client.traffic()).toEqual({ requests: 61, retries: 1, pauses: 1, unchanged: 0 });
    expect(Math.max(...arrivals.slice(0, 9))).toBe(8);
    // Four, and one more after each twenty successes.
    expect(Math.max(...arrivals.slice(16))).toBeLessThanOrEqual(6);
  });
});

describe('an outage', () => {
  it('ends a run before every request has used up its retries', async () => {
    const server = await serve((_, response) => sendJson(response, {}, 502));
    const { client } = clientOf(server.url);
    const ids = Array.from({ length: 60 }, (_, id) => `${id}`);
    const results = await Promise.allSettled(ids.map((id) => client.getArticle(id)));
    const codes = results.map((result) => result.status === 'rejected' && result.reason.code);
    expect(codes).toContain('unavailable');
    expect(client.traffic().retries).toBe(20);
  });
});

describe('a 404', () => {
  it('counts only when a second response says the same', async () => {
    const server = await serve(failing(1, (response) => sendJson(response, {}, 404)));
    const { client } = clientOf(server.url);
    const error = await failureOf(client.getArticle('a'));
    expect(error).toMatchObject({ code: 'unexpected-shape' });

    const gone = await serve((_, response) => sendJson(response, {}, 410));
    expect(await clientOf(gone.url).client.getArticle('a')).toBeUndefined();
    expect(gone.paths).toHaveLength(2);
    const call = { confirmMissing: false };
    expect(await clientOf(gone.url).client.getArticle('a', call)).toBeUndefined();
    expect(gone.paths).toHaveLength(3);
  });
});

describe('an id that equals the API key', () => {
  test('is not requested, and not shown', async () => {
    const server = await serve(failing(0, () => {}));
    const error = await failureOf(clientOf(server.url).client.getArticle(apiKey));
    expect(error).toMatchObject({ code: 'invalid-articles' });
    expect(JSON.stringify([error.message, error.problems])).not.toContain(apiKey);
    expect(server.paths).toEqual([]);
  });

  test('is a problem of the listing that does not show it', async () => {
    const rows = [articleOf(apiKey), { id: `${apiKey}\u009b` }, articleOf('a')];
    const server = await serve((_, response) => sendJson(response, { next: null, results: rows }));
    const seen: unknown[] = [];
    const result = await clientOf(server.url).client.survey({
      onRows: (page) => void seen.push(...page),
    });
    expect(result).toMatchObject({
      ids: ['a'],
      problems: [
        { id: '(row 1 of the listing)', field: 'id', reason: 'it is the API key' },
        { reason: '"[the API key]\\u{9b}": it contains a control character' },
      ],
    });
    expect(JSON.stringify([result, seen])).not.toContain(apiKey);
  });

  test('or contains it is not shown in an error', async () => {
    const id = `${apiKey}-2`;
    const server = await serve((_, response) => sendJson(response, articleOf(`${id}-3`)));
    const error = await failureOf(clientOf(server.url).client.getArticle(id));
    expect(error).toMatchObject({ code: 'wrong-article' });
    expect(`${error.message} ${error.url}`).not.toContain(apiKey);
  });
});

describe('options', () => {
  it.each([
    [{ pageSize: 501 }, '`pageSize`: expected a whole number from 1 to 500, got 501.'],
    [{ concurrency: 0 }, '`concurrency`: expected a whole number from 1 to 64, got 0.'],
    [{ timeout: 1.5 }, '`timeout`: expected a whole number from 1 to 3600000, got 1.5.'],
    [{ retry: { limit: 11 } }, '`retry.limit`: expected a whole number from 0 to 10, got 11.'],
    [
      { maxBytes: { page: 0 } },
      '`maxBytes.page`: expected a whole number from 1 to 536870912, got 0.',
    ],
  ])('out of range are refused: %j', (options, message) => {
    expect(() => clientOf('https://app.example.com', options)).toThrow(message);
  });

  it('out of range are refused for a page', async () => {
    const { client } = clientOf('https://app.example.com');
    await expect(client.listPage({ limit: 501 })).rejects.toThrow('`limit`: expected');
    await expect(client.listPage({ offset: -1 })).rejects.toThrow('`offset`: expected');
  });

  it.each(['a\nb', 'two words', 'schlüssel', ''])(
    'refuse the key %j without repeating it',
    (key) => {
      const create = () =>
        createArticlesClient({ baseUrl: 'https://app.example.com', apiKey: key });
      expect(create).toThrow(expect.objectContaining({ code: 'key-malformed' }));
      if (key) expect(create).not.toThrow(new RegExp(key));
    },
  );
});
