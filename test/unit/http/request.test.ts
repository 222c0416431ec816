import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import { FailureError } from '../../../src/http/failure.ts';
import {
  createRateLimit,
  createRequester,
  type RequesterOptions,
} from '../../../src/http/request.ts';
import { createClock } from '../../helpers/clock.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const forever = { deadline: Number.POSITIVE_INFINITY };

/** Requests that end when the test says so. */
function useRequests(concurrency = 4) {
  const clock = createClock();
  const rateLimit = createRateLimit({ concurrency, clock });
  const sent: (() => void)[] = [];
  const send = (until = forever) =>
    rateLimit.run(until, () => new Promise<void>((resolve) => sent.push(resolve)));
  /** Ends that many requests, and waits for those that follow. */
  const end = async (count: number, { success = true } = {}) => {
    for (const resolve of sent.splice(0, count)) {
      if (success) rateLimit.succeed();
      resolve();
    }
    // Lets timers fire, in turns, because a busy machine may delay each of them.
    for (let turn = 0; turn < 10; turn++) await sleep(1);
    return sent.length;
  };
  return { rateLimit, send, end, clock };
}

describe('a rate limit', () => {
  it('sends one request at a time after a pause, and one more after twenty successes', async () => {
    const { rateLimit, send, end, clock } = useRequests(3);
    const all = Promise.all(Array.from({ length: 70 }, () => send()));
    expect(await end(0)).toBe(3);
    rateLimit.pause(1_000);
    expect(await end(3)).toBe(1);
    expect(clock.waits).toContain(1_000);
    expect(await end(1, { success: false })).toBe(1);
    for (let count = 1; count < 20; count++) expect(await end(1)).toBe(1);
    const atATime: number[] = [];
    for (let sent = await end(1); sent > 0; sent = await end(sent)) atATime.push(sent);
    // The last ones are fewer.
    expect(atATime.slice(0, -1)).toEqual([...Array(10).fill(2), ...Array(8).fill(3)]);
    await all;
  });

  it('waits for the longest of pauses that overlap', async () => {
    const { rateLimit, send, end, clock } = useRequests();
    for (const delay of [500, 2_000, 1_000]) rateLimit.pause(delay);
    const request = send();
    expect(await end(0)).toBe(1);
    expect(clock.now()).toBe(2_000);
    await end(1);
    await request;
  });

  it('fails a request at once whose turn would come after its deadline, or that is aborted', async () => {
    const { rateLimit, send, clock } = useRequests();
    rateLimit.pause(5_000);
    await expect(send({ deadline: clock.now() + 1_000 })).rejects.toMatchObject({
      failure: { code: 'total-timeout' },
    });
    expect(clock.now()).toBe(0);
    const until = { ...forever, signal: AbortSignal.abort(new Error('enough')) };
    await expect(send(until)).rejects.toThrow('enough');
  });
});

function requesterOf(changes: Partial<RequesterOptions> = {}) {
  return createRequester({
    fetch: (url, init) => fetch(url, init),
    headers: { 'x-secret': 'of-this-test' },
    redirects: 'same-origin',
    redact: (text) => text,
    concurrency: 2,
    timeout: 30_000,
    retry: { limit: 4, maxDelay: 1_000 },
    clock: createClock(),
    ...changes,
  });
}

it('a request is repeated when `read` fails the attempt, and not for another error of it', async () => {
  const { url } = await temporaryServer((_, response) => response.end('[]'));
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

it.each<[code: string, attempts: number, statuses: number[]]>([
  ['unauthorized', 1, [401, 403]],
  ['not-found', 1, [404, 410]],
  ['refused', 1, [400, 405, 431]],
  ['refused', 5, [408, 409, 423, 425]],
  ['server-error', 1, [501, 505, 511]],
  ['server-error', 5, [500, 504, 520, 529]],
  ['unexpected-status', 2, [304]],
  ['unexpected-status', 5, [206]],
])('is an error with the code %s after %i attempts: %j', async (code, attempts, statuses) => {
  for (const status of statuses) {
    const fetch = async () => ({ status, headers: new Headers(), body: null }) as Response;
    const { request } = requesterOf({ fetch });
    const spec = { url: new URL('https://a.test'), maxBytes: 9, read: () => 'here' };
    const sent = request(spec, { deadline: 1e9 });
    await expect(sent).rejects.toMatchObject({ code, status, attempts });
  }
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

it.each([
  [6, 5],
  [8, 7],
  [8, 4],
])(
  'of %i requests at a time, none fails because each response of %i is a pause',
  async (concurrency, every) => {
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      const isPause = sent % every === 0;
      await setImmediate();
      const status = { status: 503, headers: { 'retry-after': '1' } };
      return isPause ? new Response('', status) : new Response('here');
    };
    const retry = { limit: 4, maxDelay: 120_000 };
    const { request, traffic } = requesterOf({ clock: createClock(), fetch, retry, concurrency });
    const spec = { url: new URL('https://a.test'), maxBytes: 9, read: () => 'here' };
    const inProgress = pLimit(concurrency);
    const requests = Array.from({ length: 60 }, () =>
      inProgress(() => request(spec, { deadline: 1e9 })),
    );
    expect(await Promise.all(requests)).toEqual(Array(60).fill('here'));
    expect(traffic().retries).toBe(Math.floor(sent / every));
  },
);

it('a retry waits for the pause that another request has met, too', async () => {
  const clock = createClock();
  const times: number[] = [];
  const busy = { status: 429, headers: { 'retry-after': '60' } };
  const fetch = async (url: string) => {
    times.push(clock.now());
    if (times.length > 2) return new Response('here');
    if (url.endsWith('/b')) return new Response('', busy);
    // The pause has begun when this request fails.
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    return new Response('', { status: 500 });
  };
  const retry = { limit: 4, maxDelay: 120_000 };
  const { request } = requesterOf({ clock, fetch, retry, concurrency: 2 });
  const send = (path: string) => {
    const spec = { url: new URL(path, 'https://a.test'), maxBytes: 9, read: () => 'here' };
    return request(spec, { deadline: 1e9 });
  };
  expect(await Promise.all([send('/a'), send('/b')])).toEqual(['here', 'here']);
  expect(times.slice(0, 2)).toEqual([0, 0]);
  expect(Math.min(...times.slice(2))).toBeGreaterThanOrEqual(60_000);
});

it('a request gives `read` as long as it takes, because the response has arrived', async () => {
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

it('names the URL that a function for `fetch` has requested instead', async () => {
  const url = 'https://b.test/2';
  const fetch = async () =>
    Object.defineProperty(new Response('', { status: 404 }), 'url', { value: url });
  const spec = { url: new URL('https://a.test/1'), maxBytes: 9, read: () => 'here' };
  const requested = requesterOf({ fetch }).request(spec, { deadline: 1e9 });
  await expect(requested).rejects.toMatchObject({ url });
});

it.each([
  [500, 'server-error'],
  [200, 'not-json'],
])('a response %i is not quoted where another origin may respond', async (status, code) => {
  const fetch = async () => new Response('a page', { status });
  const { request } = requesterOf({
    fetch,
    redirects: 'any-origin',
    retry: { limit: 0, maxDelay: 9 },
  });
  const read = () => {
    throw new FailureError({ code: 'not-json', reason: 'no JSON' });
  };
  const spec = { url: new URL('https://a.test'), maxBytes: 9, read };
  const error = await request(spec, { deadline: 1e9 }).catch((reason) => reason);
  expect(error.code).toBe(code);
  expect(error.message).not.toContain('a page');
});

it('a request is not repeated after a redirect that is refused', async () => {
  const headers = { location: 'https://b.test/' };
  const requester = requesterOf({ fetch: async () => new Response('', { status: 302, headers }) });
  const spec = { url: new URL('https://a.test'), maxBytes: 9, read: () => 'here' };
  await expect(requester.request(spec, { deadline: 1e9 })).rejects.toMatchObject({
    code: 'redirect',
  });
  expect(requester.traffic().requests).toBe(1);
});

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
