import { readBody } from '../http/body.ts';
import { type Clock, sleep, systemClock } from '../shared/clock.ts';
import { type AcceptedEvent, invalid, runAction, type WebhookAction } from './actions.ts';
import { createBatches } from './batches.ts';
import { secretProblem, type Verdict, verifyRequest } from './verify-request.ts';

export interface WebhookOptions {
  /**
   * The secret that the service sends or signs with, of at least 16 characters; see `verifyRequest()`. A request
   * without it is refused. With `false`, every request is accepted.
   */
  secret: string | false | undefined;
  /** The actions that a request causes. They run at the same time. */
  actions: readonly WebhookAction[];
  /**
   * Time in milliseconds: the first request acts at once, and all that follow within it cause one more action.
   *
   * @default 5_000
   */
  window?: number;
}

/** Accepts a `Request`, or the context of a host that contains one. */
export type WebhookHandler = (
  input: Request | { request: Request },
  ...more: unknown[]
) => Promise<Response>;

/** Bytes. */
const maxBytes = 1_000_000;
/** Milliseconds until the response, on hosts where the actions can continue after it. */
const patience = 1_000;

/**
 * Creates the handler of a webhook. It uses no API of Node, so it runs as an endpoint of Astro or as a function
 * of any host. The response is JSON: 200 once the actions have succeeded, 202 when they run after the
 * response, 401 for a request without the secret, 502 when an action failed.
 *
 * @throws {ArticlesOptionsError} when the secret is missing or can be guessed, or the actions are missing
 */
export function webhook(options: WebhookOptions, clock: Clock = systemClock): WebhookHandler {
  const { secret, actions, window = 5_000 } = checkWebhook(options);
  const deliveries = new Map<string, number>();
  const immediate = actions.filter(({ everyTime }) => everyTime);
  const throttled = actions.filter(({ everyTime }) => !everyTime);
  const throttle = createBatches(clock, (events: AcceptedEvent[]) =>
    runAll(
      throttled,
      events.reduce((_, latest) => latest),
    ),
  );

  function runAll(chosen: readonly WebhookAction[], event: AcceptedEvent) {
    return Promise.all(chosen.map((action) => runAction(action, event, clock)));
  }

  return async (input, ...more) => {
    const request = 'request' in input ? input.request : input;
    if (request.method !== 'POST') return refuse(405, 'Send a POST request.', { allow: 'POST' });
    const body = await readBody(new Response(request.body), { maxBytes }).catch(() => undefined);
    if (!body) return refuse(413, `The body is incomplete, or larger than ${maxBytes} bytes.`);
    const signed = {
      url: new URL(request.url),
      headers: request.headers,
      body: new Uint8Array(body),
    };
    const verdict: Verdict = secret
      ? await verifyRequest(signed, { secret, date: clock.date(), deliveries })
      : { status: 'valid' };
    if (verdict.status === 'refused') return refuse(401, verdict.reason);

    const waitUntil = waitUntilOf([input, ...more]);
    const event = { body: parseJson(body), context: input, waitUntil };
    const later = throttled.length > 0 ? throttle(event, { window }) : undefined;
    const folded = later?.waits === true;
    const finish = async () => {
      const reports = (await Promise.all([runAll(immediate, event), later?.result ?? []])).flat();
      const ok = reports.every((report) => report.ok);
      // The sender may repeat each delivery whose action failed, also if it was the action of a later delivery.
      if (!ok) deliveries.delete(verdict.delivery ?? '');
      return respond(ok ? 200 : 502, { ok, folded, actions: reports });
    };
    const response = finish();
    if (!waitUntil) return response;
    waitUntil(response);
    const soon = sleep(clock, patience).then(() => respond(202, { ok: true, folded, actions: [] }));
    return Promise.race([response, soon]);
  };
}

function checkWebhook(options: WebhookOptions): WebhookOptions {
  const { secret, actions, window = 0 } = options;
  const problem = secret === false ? undefined : secretProblem(secret);
  if (problem) {
    throw invalid(`webhook(): \`secret\` ${problem}. \`secret: false\` accepts every request.`);
  }
  if (!Array.isArray(actions) || actions.length === 0 || !(window >= 0)) {
    throw invalid(
      'webhook(): `actions` needs at least one action, such as `[deployHook(url)]`; `window`, if set, is a number of milliseconds.',
    );
  }
  return options;
}

/** The paths of `waitUntil()` in the arguments with which hosts and Astro's adapters call a handler. */
const paths = [[], ['locals', 'cfContext'], ['locals', 'netlify', 'context']] as const;

/** Finds the host's function that lets work continue after the response; undefined when it has none. */
function waitUntilOf(values: readonly unknown[]): ((task: Promise<unknown>) => void) | undefined {
  const holders = values.flatMap((value) => paths.map((path) => path.reduce(read, value)));
  // What `waitUntil()` of @vercel/functions uses.
  const vercel = read(globalThis, Symbol.for('@vercel/request-context'));
  holders.push(Object(vercel).get?.());
  for (const holder of holders) {
    const waitUntil = read(holder, 'waitUntil');
    if (typeof waitUntil === 'function') return (task) => void waitUntil.call(holder, task);
  }
  return undefined;
}

function read(value: unknown, name: string | symbol): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function refuse(status: number, error: string, headers: Record<string, string> = {}): Response {
  return respond(status, { ok: false, error }, headers);
}

function respond(status: number, value: object, headers: Record<string, string> = {}): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
