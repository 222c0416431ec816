import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, test } from 'vitest';
import { noticesOfFailure } from '../../../src/client/client.ts';
import { type ArticlesClientOptions, createArticlesClient } from '../../../src/client/index.ts';
import { ArticlesError, ArticlesRequestError } from '../../../src/errors.ts';
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

  it('is for `pageSize` rows by default, from the first one on', async () => {
    const { client, requests } = await serve(failing(0), { pageSize: 7 });
    for (const part of [{}, { limit: 9 }, { offset: 3 }]) await client.listPage(part);
    const parts = ['limit=7&offset=0', 'limit=9&offset=0', 'limit=7&offset=3'];
    expect(requests.map(({ url }) => url)).toEqual(parts.map((part) => `${path}?${part}`));
  });

  it('bypasses caches only if it has to be fresh', async () => {
    const { client, requests } = await serve(failing(0));
    for (const fresh of [undefined, false, true]) await client.listPage({}, { fresh });
    const sent = requests.map(({ headers }) => headers['cache-control']);
    expect(sent).toEqual([undefined, undefined, 'no-cache']);
  });

  it('fails after its last attempt with the URL, the reason and a hint', async () => {
    const fail = (response: ServerResponse) => sendJson(response, { detail: 'Down.' }, 502);
    const { client, url } = await serve(failing(9, fail), { retries: 1 });
    expect(await failureOf(client.listPage())).toMatchObject({
      name: 'ArticlesRequestError',
      code: 'server-error',
      status: 502,
      attempts: 2,
      reason: 'responded 502: Down',
      url: `${url}${path}?limit=500&offset=0`,
      message: `GET ${url}${path}?limit=500&offset=0: responded 502: Down (2 attempts).`,
      hint: expect.stringContaining('lower `pageSize`.'),
    });
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'tls', 1],
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

  it('shows the reason of the service without key and control characters', async () => {
    const body = { detail: `no ${apiKey}\u0007 \u001b[31m \u202e` };
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

test('an id that contains a short key is requested like any other', async () => {
  const { client } = await serve((id, response) => sendJson(response, articleOf(id)), {
    apiKey: 'dev',
  });
  expect(await client.getArticle('dev-log')).toMatchObject({ id: 'dev-log' });
});
