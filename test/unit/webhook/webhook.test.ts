import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ArticlesOptionsError } from '../../../src/errors.ts';
import {
  deployHook,
  type WebhookAction,
  type WebhookOptions,
  webhook,
} from '../../../src/webhook/index.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { address, example, standardHeaders } from './signed.ts';

const secret = 'a-shared-secret-of-tests';
const warn = vi.fn();

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(warn);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  warn.mockReset();
});

/** Creates a handler with the shared secret. */
function handlerOf(
  actions: WebhookAction[],
  options: Partial<WebhookOptions> = {},
  clock?: ManualClock,
) {
  return webhook({ secret, actions, ...options }, clock);
}

/** Creates an action that counts its runs, and fails the first `failures` times. */
function countingAction({
  failures = 0,
  ...rest
}: Partial<WebhookAction> & { failures?: number } = {}) {
  const bodies: unknown[] = [];
  const action: WebhookAction = {
    name: 'count',
    async run({ body }) {
      bodies.push(body);
      if (bodies.length <= failures) throw new TypeError(`no response from ${address}?${secret}`);
    },
    ...rest,
  };
  return { action, bodies };
}

/** Creates a handler whose only action counts its runs. */
function countingHandler(options: Partial<WebhookOptions> = {}) {
  const { action, bodies } = countingAction();
  const clock = createManualClock();
  return { handler: handlerOf([action], options, clock), bodies, clock };
}

/** Sends a request to a handler that accepts every request, and lets ten seconds pass. */
async function send(actions: WebhookAction[], context: unknown = post()): Promise<Response> {
  const clock = createManualClock();
  const done = handlerOf(actions, { secret: false }, clock)(context as Request);
  await clock.advance(10_000);
  return done;
}

function post(body: BodyInit | null = '{}', headers: Record<string, string> = {}): Request {
  return new Request(address, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${secret}`, ...headers },
    duplex: 'half',
  } as RequestInit);
}

describe('options', () => {
  const { action } = countingAction();

  test.each([
    [{ secret: 'fifteen letters' }, '`secret` needs at least 16 bytes'],
    [{ secret: undefined }, '`secret` is missing or empty. `secret: false` accepts every request.'],
    [{ window: -1 }, '`window` is not a number of milliseconds.'],
    [{ window: Number.NaN }, '`window` is not a number of milliseconds.'],
  ])('refuses %j', (options, problem) => {
    const create = () => handlerOf([action], options);
    expect(create).toThrow(ArticlesOptionsError);
    expect(create).toThrow(`webhook(): ${problem}`);
  });

  test.each([[[]], [undefined], [action]])('refuses the actions %j', (actions) => {
    expect(() => handlerOf(actions as WebhookAction[])).toThrow('at least one action');
  });

  test('accepts no window, so that each request acts at once', async () => {
    const { handler, bodies } = countingHandler({ window: 0 });
    for (const body of [1, 2, 3]) await handler(post(String(body)));
    expect(bodies).toEqual([1, 2, 3]);
  });
});

describe('requests', () => {
  test.each([
    ['a context with a request', (request: Request) => ({ request, locals: {} })],
    ['a request', (request: Request) => request],
  ])('%s runs the actions and reports them', async (_, wrap) => {
    const { action, bodies } = countingAction();
    const response = await handlerOf([action])(wrap(post('{"id":"a1"}')));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ok: true,
      actions: [{ action: 'count', ok: true, attempts: 1 }],
    });
    expect(bodies).toEqual([{ id: 'a1' }]);
  });

  test('a request without a valid secret is refused, and runs nothing, also in a burst', async () => {
    const { handler, bodies, clock } = countingHandler();
    await handler(post('"valid"'));
    for (const authorization of ['', 'Bearer other', `Bearer ${secret}x`]) {
      const response = await handler(post('{}', { authorization }));
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain(secret);
    }
    await clock.advance(60_000);
    expect(bodies).toEqual(['valid']);
  });

  test.each<[status: number, request: () => Request, failures: number, error?: string]>([
    [200, post, 0],
    [
      401,
      () => post('{}', { authorization: 'Bearer other' }),
      0,
      'The secret or the signature is wrong.',
    ],
    [405, () => new Request(address), 0, 'Send a POST request.'],
    [
      413,
      () => post('x'.repeat(1_000_001)),
      0,
      'The body is incomplete, or larger than 1000000 bytes.',
    ],
    [502, post, 9],
  ])(
    'responds %i with JSON that says whether all is well, and that no cache stores',
    async (...row) => {
      const [status, request, failures, error] = row;
      const clock = createManualClock();
      const done = handlerOf([countingAction({ failures }).action], {}, clock)(request());
      await clock.advance(60_000);
      const response = await done;
      expect(response.status).toBe(status);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
      const what = error === undefined ? { actions: [expect.anything()] } : { error };
      expect(await response.json()).toEqual({ ok: status === 200, ...what });
    },
  );

  test.each([
    ['nothing', null],
    ['bytes that are not UTF-8', new Uint8Array([0xff, 0xfe])],
    ['JSON nested too deep', '['.repeat(500_000)],
  ])('accepts a body of %s', async (_, body) => {
    const { handler, bodies } = countingHandler();
    const response = await handler(post(body));
    expect(response.status).toBe(200);
    expect(bodies).toEqual([undefined]);
  });

  test('refuses a body of more than 1 MB without reading the rest', async () => {
    const { handler, bodies } = countingHandler();
    expect((await handler(post('x'.repeat(1_000_000)))).status).toBe(200);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(100_000));
      },
    });
    expect((await handler(post(endless))).status).toBe(413);
    expect(sent).toBeLessThan(20);
    expect(bodies).toHaveLength(1);
  });

  test('each delivery of a burst with an action that failed can be sent again, and once only', async () => {
    let isDown = false;
    const { action } = countingAction({
      run: () => (isDown ? Promise.reject(new TypeError('down')) : Promise.resolve()),
    });
    const clock = createManualClock({ date: example.seconds * 1000 });
    const { action: other } = countingAction({ name: 'other' });
    const handler = handlerOf([action, other], { secret: example.secret }, clock);
    const deliver = async (id: string) => {
      const response = handler(post(example.body, standardHeaders({ id })));
      await pause();
      return response;
    };
    const ids = ['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'];
    expect((await deliver('msg_0')).status).toBe(200);
    isDown = true;
    const failed = Promise.all(ids.map(deliver));
    await clock.advance(60_000);
    isDown = false;
    expect((await failed).map(({ status }) => status)).toEqual(ids.map(() => 502));
    const repeated = Promise.all(ids.map(deliver));
    await clock.advance(60_000);
    expect((await repeated).map(({ status }) => status)).toEqual(ids.map(() => 200));
    const again = await Promise.all(['msg_0', ...ids].map(deliver));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([401]));
  });
});

test('reports an action that fails thrice without addresses and secrets, and runs the others', async () => {
  const failing = countingAction({ failures: 9 });
  const other = countingAction({ name: 'other' });
  const response = await send([deployHook(undefined), failing.action, other.action]);
  expect(response.status).toBe(502);
  const text = await response.text();
  const missing =
    'deployHook() needs the https URL of a build hook. Set the environment variables of its arguments.';
  expect(JSON.parse(text)).toEqual({
    ok: false,
    actions: [
      { action: 'deployHook', ok: false, attempts: 1, error: missing },
      { action: 'count', ok: false, attempts: 3, error: 'It failed with TypeError.' },
      { action: 'other', ok: true, attempts: 1 },
    ],
  });
  expect([failing.bodies.length, other.bodies.length]).toEqual([3, 1]);
  expect(warn.mock.calls.flat()).toEqual([
    `[astro-articles] The webhook's deployHook failed (attempts: 1). ${missing}`,
    "[astro-articles] The webhook's count failed (attempts: 3). It failed with TypeError.",
  ]);
  expect(text + JSON.stringify(warn.mock.calls)).not.toContain(secret);
  expect(text + JSON.stringify(warn.mock.calls)).not.toContain(address);
  // Astro's logger is used where there is one.
  const logger = { warn: vi.fn() };
  await send([countingAction({ failures: 9 }).action], { request: post(), logger });
  expect([logger.warn, warn].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
});

describe('bursts', () => {
  type Hosted = (waitUntil: unknown) => unknown[];

  test.each<[string, Hosted]>([
    ['the context', (waitUntil) => [{ request: post(), waitUntil }]],
    ['a third argument', (waitUntil) => [post(), {}, { waitUntil }]],
    [
      'the Cloudflare adapter',
      (waitUntil) => [{ request: post(), locals: { cfContext: { waitUntil } } }],
    ],
    [
      'the Netlify adapter',
      (waitUntil) => [{ request: post(), locals: { netlify: { context: { waitUntil } } } }],
    ],
    [
      'the Vercel adapter',
      (waitUntil) => {
        const get = () => ({ waitUntil });
        vi.stubGlobal(Symbol.for('@vercel/request-context') as never, { get });
        return [{ request: post() }];
      },
    ],
  ])('with waitUntil() of %s, a request of a burst does not wait', async (_, argumentsWith) => {
    const { handler, bodies, clock } = countingHandler({ secret: false });
    await handler(post());
    const later: Promise<unknown>[] = [];
    const [input, ...more] = argumentsWith(function (this: unknown, task: Promise<unknown>) {
      if (!Object(this).waitUntil) throw new TypeError('Illegal invocation');
      later.push(task);
    });
    const done = handler(input as Request, ...more);
    await clock.advance(1_000);
    const response = await done;
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ ok: true, actions: [] });
    expect(later).toHaveLength(1);
    expect(bodies).toHaveLength(1);
    await clock.advance(3_999);
    expect(bodies).toHaveLength(1);
    await clock.advance(1);
    await Promise.all(later);
    expect(bodies).toHaveLength(2);
  });
});
