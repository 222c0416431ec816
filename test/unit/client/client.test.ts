import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, test } from 'vitest';
import { noticesOfFailure } from '../../../src/client/client.ts';
import { type ArticlesClientOptions, createArticlesClient } from '../../../src/client/index.ts';
import { ArticlesError, ArticlesRequestError } from '../../../src/errors.ts';
import { FailureError } from '../../../src/http/failure.ts';
import { createRequester, type RequesterOptions } from '../../../src/http/request.ts';
import { createClock } from '../../helpers/clock.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const apiKey = 'key-of-the-unit-tests';
const path = '/api/integrations/project/articles/';

/** Sends a response. The id is undefined for a request of the listing. */
type Handler = (id: string | undefined, response: ServerResponse) => void;

/** Starts a service, and a client of it whose pauses end at once. */
async function serve(handler: Handler, options: Partial<ArticlesClientOptions> = {}) {
  const requests: IncomingMessage[] = [];
  const { url } = await temporaryServer((request, response) => {
    requests.push(request);
    const [, id] = /\/articles\/([^/]+)\/$/.exec(request.url ?? '') ?? [];
    handler(id && decodeURIComponent(id), response);
  });
  return { url, requests, client: clientOf(url, options) };
}

function clientOf(baseUrl: string, options: Partial<ArticlesClientOptions> = {}) {
  return createArticlesClient({ baseUrl, apiKey, ...options }, { clock: createClock() });
}

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const articleOf = (id = '') => ({ id, title: `Title ${id}`, content: 'Text', cover_image: null });

/** Responds to the first requests with a failure, and then with an empty listing. */
function failing(times: number, fail: (response: ServerResponse) => void = () => {}): Handler {
  let count = 0;
  return (_, response) => {
    count += 1;
    if (count <= times) fail(response);
    else sendJson(response, []);
  };
}

/** The error with which a promise rejects. */
function failureOf(promise: Promise<unknown>) {
  return promise.then(
    () => expect.fail('the call succeeded'),
    (error) => error,
  );
}

describe('a request', () => {
  it('carries the key, and the name of the package', async () => {
    const { client, requests } = await serve(failing(0));
    expect(await client.listPage()).toEqual({ rows: [] });
    expect(requests.map(({ url }) => url)).toEqual([`${path}?limit=500&offset=0`]);
    expect(requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      'x-project-api-key': apiKey,
      'user-agent': expect.stringMatching(/^astro-articles\/\d/),
    });
  });

  it('fails after its last attempt with the URL, the reason and a hint', async () => {
    const fail = (response: ServerResponse) => sendJson(response, { detail: 'Down.' }, 502);
    const { client, url } = await serve(failing(9, fail), { retries: 2 });
    expect(await failureOf(client.listPage())).toMatchObject({
      name: 'ArticlesRequestError',
      code: 'server-error',
      status: 502,
      attempts: 3,
      reason: 'responded 502: Down',
      url: `${url}${path}?limit=500&offset=0`,
      message: `GET ${url}${path}?limit=500&offset=0: responded 502: Down (3 attempts).`,
      hint: expect.stringContaining('lower `pageSize`.'),
    });
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'tls', 1],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 1],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 1],
    ['ENOTFOUND', 'dns', 3],
    ['ECONNRESET', 'network', 5],
  ])(
    'whose connection fails with %s has the error code %s and the cause after %i attempts',
    async (code, expected, attempts) => {
      const cause = Object.assign(new Error(code), { code });
      const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
      const error = await failureOf(clientOf('https://app.example.com', { fetch }).listPage());
      expect(error).toMatchObject({
        code: expected,
        attempts,
        reason: expect.stringContaining(code),
      });
      expect(error.cause).toMatchObject({ message: 'fetch failed', cause: { code } });
      expect(error.stack).toContain('ArticlesRequestError');
    },
  );

  it.each([
    { detail: `no ${apiKey}\u0007 \u001b[31m \u202e` },
    { message: `no ${apiKey}\u0007 \u001b[31m \u202e`, error: 'x' },
    { error: `no ${apiKey}\u0007 \u001b[31m \u202e` },
  ])('shows the reason of the service without key and control characters: %j', async (body) => {
    const { client } = await serve((_, response) => sendJson(response, body, 400));
    const { message } = await failureOf(client.listPage());
    expect(message).toMatch(/: responded 400: no \[the API key\] +\[31m \\u\{202e\}\.$/);
  });

  it('shows no part of the key, wherever a long reason is cut', async () => {
    const json = (text: string) => Response.json({ detail: text }, { status: 400 });
    const page = (text: string) => new Response(`<title>${text}</title>`, { status: 400 });
    const plain = (text: string) => new Response(text, { status: 400 });
    const broken = (text: string) => Promise.reject(new TypeError(text));
    for (const respond of [json, page, plain, broken]) {
      for (let place = 0; place <= 320; place++) {
        const fetch = async () => respond(`${'x'.repeat(place)}${apiKey} and more`);
        const client = clientOf('https://app.example.com', { fetch, retries: 0 });
        const { message } = await failureOf(client.listPage());
        expect(message).not.toContain(apiKey.slice(0, 5));
      }
    }
  });

  it.each([
    ['has another status', { status: 503 }, 'server-error'],
    ['redirects to another origin', { status: 302 }, 'redirect'],
    ['is not JSON', { status: 200 }, 'not-json'],
  ])('whose response %s has its headers, without the key and cookies', async (_, init, code) => {
    const headers = {
      'x-request-id': 'a7',
      'set-cookie': 'session=secret',
      location: `https://other.test/?key=${apiKey}`,
      'x-Echo': `${btoa(apiKey)} and é`,
    };
    const fetch = async () => new Response('<p>no</p>', { ...init, headers });
    const error = await failureOf(
      clientOf('https://app.example.com', { fetch, retries: 0 }).listPage(),
    );
    expect(error).toMatchObject({ code, status: init.status });
    expect(error.headers).toEqual({
      'content-type': 'text/plain;charset=UTF-8',
      'x-request-id': 'a7',
      location: 'https://other.test/?key=[the API key]',
      'x-echo': '[the API key] and é',
    });
    error.redact((text: string) => text.replace('a7', '…'));
    expect(error.headers['x-request-id']).toBe('…');
  });

  it('without a response has an error without headers', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    const client = clientOf('https://app.example.com', { fetch, retries: 0 });
    const error = await failureOf(client.listPage());
    expect(error).toMatchObject({ code: 'network', headers: undefined });
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
    const client = clientOf('https://app.example.com', { fetch });
    expect((await client.listPage()).rows).toEqual([]);
    await expect.poll(() => isStopped).toBe(true);
  });

  it('is repeated when `read` fails the attempt, and not for another error of it', async () => {
    const { url } = await serve(failing(0));
    const { request, traffic } = requesterOf();
    const mistake = new TypeError('a mistake of the caller');
    const errors: Error[] = [1, 2].map(
      () => new FailureError({ code: 'bad-json', reason: 'corrupt' }),
    );
    const read = async (body: Uint8Array, { status }: { status: number }) => {
      const error = errors.shift();
      if (error) throw error;
      return { status, text: new TextDecoder().decode(body) };
    };
    const spec = { url: new URL(url), maxBytes: 100, read };
    expect(await request(spec, { deadline: 1e9 })).toEqual({ status: 200, text: '[]' });
    expect(traffic().requests).toBe(3);
    errors.push(mistake);
    await expect(request(spec, { deadline: 1e9 })).rejects.toBe(mistake);
    expect(traffic().requests).toBe(4);
  });
});

it.each([
  [429, 60_000],
  [503, 60_000],
  [500, 0],
  [502, 0],
])('after a response with the status %i, no other request is sent for %i ms', async (...row) => {
  const [status, pause] = row;
  const clock = createClock();
  const times: number[] = [];
  const headers = { 'retry-after': '60' };
  const fetch = async () => {
    times.push(clock.now());
    return times.length === 1 ? new Response('', { status, headers }) : new Response('here');
  };
  const retry = { limit: 4, maxDelay: 120_000 };
  const { request, traffic } = requesterOf({ clock, fetch, retry, concurrency: 1 });
  const spec = { url: new URL('https://a.test'), maxBytes: 9, read: () => 'here' };
  await Promise.all([request(spec, { deadline: 1e9 }), request(spec, { deadline: 1e9 })]);
  expect(times[0]).toBe(0);
  expect(times[1]).toBeGreaterThanOrEqual(pause);
  expect(times[1]).toBeLessThanOrEqual(1.1 * pause);
  expect(times[2]).toBeGreaterThanOrEqual(60_000);
  expect(traffic()).toEqual({ requests: 3, retries: 1 });
});

it('gives `read` as long as it takes, because the response has arrived', async () => {
  const clock = createClock({ patience: 20 });
  const requester = requesterOf({ clock, fetch: async () => new Response('here') });
  const read = async (body: Uint8Array) => {
    await sleep(200);
    return new TextDecoder().decode(body);
  };
  const spec = { url: new URL('https://a.test'), maxBytes: 9, read };
  expect(await requester.request(spec, { deadline: 1e9 })).toBe('here');
  expect(requester.traffic().requests).toBe(1);
});

function requesterOf(changes: Partial<RequesterOptions> = {}) {
  return createRequester({
    fetch: (url, init) => fetch(url, init),
    headers: { 'x-secret': 'of-this-test' },
    redirects: 'same-origin',
    redact: (text) => text,
    quotes: true,
    concurrency: 2,
    timeout: 30_000,
    retry: { limit: 4, maxDelay: 1_000 },
    clock: createClock(),
    ...changes,
  });
}

describe('the retries of all requests together', () => {
  const send = (requester: ReturnType<typeof requesterOf>, count: number) => {
    const spec = { url: new URL('https://a.test'), maxBytes: 9, read: () => 'here' };
    const requests = Array.from({ length: count }, () =>
      requester.request(spec, { deadline: Number.POSITIVE_INFINITY }).catch(({ code }) => code),
    );
    return Promise.all(requests);
  };

  it.each([
    ['twenty', [], 20],
    ['twenty after nine successes', [[200, 9]], 20],
    ['one more for ten successes', [[200, 15]], 21],
    ['thirty after a hundred successes', [[200, 105]], 30],
    ['twenty after throttled responses', [[429, 10]], 20],
    [
      'fewer after failures',
      [
        [500, 3],
        [200, 15],
      ],
      9,
    ],
  ] as const)('are %s while the service fails', async (_, before, retries) => {
    let status = 0;
    const fetch = async () => new Response('', { status });
    const requester = requesterOf({ fetch });
    for (const [each, count] of before) {
      status = each;
      await send(requester, count);
    }
    const former = requester.traffic().retries;
    status = 500;
    const codes = await send(requester, 40);
    expect(requester.traffic().retries - former).toBe(retries);
    expect(codes.at(-1)).toBe('unavailable');
  });
});

describe('a redirect', () => {
  it.each([
    '',
    'http://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:pw@127.0.0.1/',
    'http://pw@127.0.0.1/',
    'http://:pw@127.0.0.1/',
  ])('to %j is refused', async (location) => {
    const server = await serve((_, response) => response.writeHead(302, { location }).end());
    for (const redirects of ['same-origin', 'any-origin'] as const) {
      const spec = { url: new URL(server.url), maxBytes: 9, read: () => 0 };
      const error = await failureOf(requesterOf({ redirects }).request(spec, { deadline: 1e9 }));
      expect(error).toMatchObject({ code: 'redirect', attempts: 1 });
      expect(error.message).not.toContain('pw');
    }
  });

  it.each<[what: string, locations: Record<string, string>, requested: string[], result: string]>([
    [
      'is relative to the URL that sends it',
      { 'https://a.test/1': 'https://b.test/x/2', 'https://b.test/x/2': '3' },
      ['https://a.test/1', 'https://b.test/x/2', 'https://b.test/x/3'],
      'here',
    ],
    [
      'may lead back to the first origin',
      {
        'https://a.test/1': 'https://b.test/2',
        'https://b.test/2': '//c.test/3',
        'https://c.test/3': 'https://a.test/4',
      },
      ['https://a.test/1', 'https://b.test/2', 'https://c.test/3', 'https://a.test/4'],
      'here',
    ],
    [
      'from http may lead to https, and not back',
      { 'http://a.test/1': 'https://b.test/2', 'https://b.test/2': 'http://a.test/3' },
      ['http://a.test/1', 'https://b.test/2'],
      'redirects from https://b.test to http://a.test, which is not https',
    ],
  ])('in a chain of origins %s', async (_, locations, expected, result) => {
    const requested: string[] = [];
    const fetch = async (url: string) => {
      requested.push(url);
      const location = locations[url];
      return location
        ? new Response(null, { status: 302, headers: { location } })
        : new Response('here');
    };
    const url = new URL(expected[0] ?? '');
    const spec = { url, maxBytes: 99, read: (body: Uint8Array) => new TextDecoder().decode(body) };
    const request = requesterOf({ fetch, redirects: 'any-origin' }).request(spec, {
      deadline: 1e9,
    });
    expect(await request.catch((error) => error.reason)).toBe(result);
    expect(requested).toEqual(expected);
    const secret = requesterOf({ fetch, redirects: 'same-origin' }).request(spec, {
      deadline: 1e9,
    });
    expect(await failureOf(secret)).toMatchObject({ code: 'redirect' });
    expect(requested).toEqual([...expected, url.href]);
  });

  it.each([
    [5, 6],
    [6, 6],
  ])('of a chain of %i is followed five times at most', async (length, requests) => {
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      const isLast = sent > length;
      const headers = { location: '/next' };
      return isLast ? new Response('here') : new Response(null, { status: 302, headers });
    };
    const spec = { url: new URL('https://a.test'), maxBytes: 4, read: () => 'here' };
    const result = requesterOf({ fetch }).request(spec, { deadline: 1e9 });
    expect(await result.catch((error) => error.code)).toBe(length === 5 ? 'here' : 'redirect');
    expect(sent).toBe(requests);
  });

  it('to another origin is followed where there is no secret, but never from https to http', async () => {
    const other = await serve((_, response) => sendJson(response, 'here'));
    const server = await serve((_, response) =>
      response.writeHead(302, { location: `${other.url}/x` }).end(),
    );
    const read = (body: Uint8Array) => new TextDecoder().decode(body);
    const requester = requesterOf({ redirects: 'any-origin' });
    const spec = { url: new URL(server.url), maxBytes: 99, read };
    expect(await requester.request(spec, { deadline: 1e9 })).toBe('"here"');

    const toHttp = requesterOf({
      fetch: async () => new Response(null, { status: 302, headers: { location: other.url } }),
      redirects: 'any-origin',
    });
    const fromHttps = { ...spec, url: new URL('https://app.example.com') };
    const error = await failureOf(toHttp.request(fromHttps, { deadline: 1e9 }));
    expect(error).toMatchObject({ code: 'redirect', reason: expect.stringContaining('not https') });
  });
});

test.each([
  ['the service', { date: 'Tue, 05 May 2026 10:00:07 GMT' }, Date.UTC(2026, 4, 5, 10, 0, 7)],
  ['this machine, if the service sends none', {}, 1_000],
  ['this machine, if that of the service is not valid', { date: 'soon' }, 1_000],
])('an article has the time of %s', async (_, headers, time) => {
  const fetch = async () => Response.json(articleOf('a'), { headers });
  const clock = createClock({ date: () => 1_000 });
  const client = createArticlesClient({ baseUrl: 'https://a.test', apiKey, fetch }, { clock });
  expect(await client.getArticle('a')).toMatchObject({ respondedAt: time });
});

test('a failure without another request, or of no request, may affect other articles', async () => {
  const error = new ArticlesRequestError('timeout', 'GET …: no.');
  await expect(noticesOfFailure(error, { id: 'a' })).rejects.toBe(error);
  const other = new ArticlesError('timeout', 'not of a request');
  const probe = async () => 'a page';
  await expect(noticesOfFailure(other, { id: 'a', probe })).rejects.toBe(other);
});

test('a 404 counts only when a second response says the same', async () => {
  const once = await serve(failing(1, (response) => sendJson(response, {}, 404)));
  const error = await failureOf(once.client.getArticle('a'));
  expect(error).toMatchObject({ code: 'unexpected-shape' });

  const { client, requests } = await serve((_, response) => sendJson(response, {}, 410));
  expect(await client.getArticle('a')).toBeUndefined();
  expect(requests).toHaveLength(2);
  expect(await client.getArticle('a', { confirmMissing: false })).toBeUndefined();
  expect(requests).toHaveLength(3);
});

test('an id that equals the API key is not requested, and none that contains it is shown', async () => {
  const { client, requests } = await serve((id, response) =>
    sendJson(response, articleOf(`${id}-3`)),
  );
  const equal = await failureOf(client.getArticle(apiKey));
  expect(equal).toMatchObject({ code: 'invalid-articles' });
  expect(requests).toEqual([]);
  const longer = await failureOf(client.getArticle(`${apiKey}-2`));
  expect(longer).toMatchObject({ code: 'invalid-articles' });
  const texts = [equal.message, equal.notices, longer.message, longer.url];
  expect(JSON.stringify(texts)).not.toContain(apiKey);
});

it.each([
  [{ limit: 501 }, '`limit`: expected a whole number from 1 to 500.'],
  [{ offset: -1 }, '`offset`: expected'],
])('a part of the listing that is out of range is refused: %j', async (part, message) => {
  await expect(clientOf('https://app.example.com').listPage(part)).rejects.toThrow(message);
});
