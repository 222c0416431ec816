import { afterEach, describe, expect, test, vi } from 'vitest';
import { runAction } from '../../../src/webhook/bursts.ts';
import { deployHook, githubDispatch, type WebhookAction } from '../../../src/webhook/index.ts';
import { temporaryServer } from '../../helpers/temporary.ts';
import { createManualClock } from './manual-clock.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const hook = 'https://api.host.example/build_hooks/very-secret-hook?token=hidden';

interface SentRequest {
  url: string;
  init: RequestInit;
}

/** Replaces `fetch` by one that responds with these statuses in turn, and then repeats the last one. */
function respondWith(...statuses: (number | Error)[]): SentRequest[] {
  const sent: SentRequest[] = [];
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    const response = statuses[Math.min(sent.length, statuses.length - 1)];
    sent.push({ url: String(url), init });
    if (response instanceof Error) throw response;
    return new Response(null, { status: response ?? 200 });
  });
  return sent;
}

async function reportOf(action: WebhookAction) {
  const clock = createManualClock();
  const done = runAction(action, [{ body: undefined, context: undefined }], clock);
  await clock.advance(60_000);
  return done;
}

describe('deployHook()', () => {
  test('sends an empty POST request', async () => {
    const sent = respondWith(201);
    const report = { action: 'deployHook', ok: true, attempts: 1 };
    for (const url of [hook, new URL(hook)])
      expect(await reportOf(deployHook(url))).toEqual(report);
    const request = { url: hook, init: { method: 'POST', redirect: 'manual' } };
    expect(sent).toMatchObject([request, request]);
    expect(sent[0]?.init.body).toBeUndefined();
  });

  test.each([
    [[202], true, 1],
    [[500, 503, 200], true, 3],
    [[500, 502, 504], false, 3],
    [[429, 200], true, 2],
    [[new TypeError(`fetch failed for ${hook}`), 200], true, 2],
    [[404], false, 1],
    [[302], false, 2],
  ])('with %j, success is %s after %i attempts', async (statuses, ok, attempts) => {
    const sent = respondWith(...statuses);
    const report = await reportOf(deployHook(hook));
    expect(report).toMatchObject({ ok, attempts });
    expect(sent).toHaveLength(attempts);
    expect(JSON.stringify(report)).not.toMatch(/very-secret|hidden|host\.example/);
  });

  test('waits until the time that the host requires', async () => {
    const clock = createManualClock();
    const times: number[] = [];
    vi.spyOn(Date, 'now').mockReturnValue(0);
    const headers = { 'retry-after': new Date(8_000).toUTCString() };
    vi.stubGlobal('fetch', async () => {
      times.push(clock.now());
      return new Response(null, { status: times.length === 1 ? 503 : 200, headers });
    });
    void runAction(deployHook(hook), [{ body: undefined, context: undefined }], clock);
    await clock.advance(60_000);
    // A wait is up to a tenth longer, and with this clock half of it.
    expect(times).toEqual([0, 8_400]);
  });

  test('fails for a host that does not respond', async () => {
    const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const { url } = await temporaryServer(() => {});
    const report = await reportOf(deployHook(url));
    expect(report).toMatchObject({ ok: false, attempts: 3, error: 'There was no response.' });
    expect(limit).toHaveBeenCalledWith(10_000);
  });
});

describe('githubDispatch()', () => {
  test('sends the request that GitHub needs', async () => {
    const sent = respondWith(204);
    const to = { repository: 'owner/my.site', token: 'very-secret-token' };
    const report = { action: 'githubDispatch', ok: true, attempts: 1 };
    expect(await reportOf(githubDispatch(to))).toEqual(report);
    await reportOf(githubDispatch({ ...to, event: 'publish' }));
    expect(sent.pop()?.init.body).toBe('{"event_type":"publish"}');
    await reportOf(githubDispatch({ ...to, repository: 'My-org/my_Site-1.org' }));
    expect(sent.pop()?.url).toBe('https://api.github.com/repos/My-org/my_Site-1.org/dispatches');
    respondWith(401);
    expect((await reportOf(githubDispatch(to))).error).toBe('The response was 401.');
    expect(sent).toEqual([
      {
        url: 'https://api.github.com/repos/owner/my.site/dispatches',
        init: expect.objectContaining({
          method: 'POST',
          body: '{"event_type":"articles-updated"}',
          headers: {
            accept: 'application/vnd.github+json',
            authorization: 'Bearer very-secret-token',
            'content-type': 'application/json',
            'user-agent': 'astro-articles',
            'x-github-api-version': '2022-11-28',
          },
        }),
      },
    ]);
  });
});

const needsUrl = 'deployHook() needs the https URL of a build hook.';
const needsRepository = 'githubDispatch() needs `repository` as "owner/name", and a `token`.';

test.each([
  ...[undefined, '', '/build_hooks/1', 'http://host.example/hook', 'javascript:hook'].map(
    (url) => [url, () => deployHook(url), needsUrl] as const,
  ),
  ...[
    { repository: undefined, token: 't' },
    { repository: 'site', token: 't' },
    { repository: 'owner/site/../..', token: 't' },
    { repository: 'owner/site?x', token: 't' },
    { repository: '../owner/site', token: 't' },
    { repository: '/site', token: 't' },
    { repository: 'owner/', token: 't' },
    { repository: 'owner/site', token: undefined },
    { repository: 'owner/site', token: '' },
  ].map((to) => [to, () => githubDispatch(to), needsRepository] as const),
])('sends nothing with %j, and fails without repeating it', async (_, create, needs) => {
  const sent = respondWith(200);
  const error = `${needs} Set the environment variables of its arguments.`;
  const action = create();
  const report = { action: action.name, ok: false, attempts: 1, error };
  expect(await reportOf(action)).toEqual(report);
  expect(sent).toEqual([]);
});
