import { readBody } from '../client/http/body.ts';
import { type Clock, sleep, systemClock } from '../shared/clock.ts';
import { signingKeys, type Verdict, verifyRequest } from '../shared/verify-request.ts';
import { type ActionReport, invalid, runAction, type WebhookAction } from './actions.ts';

export interface WebhookOptions {
  /**
   * The secret that the service sends or signs with; see `verifyRequest()`. A request without it is refused.
   * With `false`, every request is accepted.
   */
  secret: string | false | undefined;
  /** The actions that a request causes. They run at the same time. */
  then: readonly WebhookAction[];
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

/**
 * Creates the handler of a webhook. It uses no API of Node, so it runs as an endpoint of Astro or as a function
 * of any host. The response is JSON: 200 once the actions have succeeded, 202 when they run after the
 * response, 401 for a request without the secret, 502 when an action failed.
 *
 * @throws {ArticlesOptionsError} when the secret or the actions are missing
 */
export function webhook(options: WebhookOptions, clock: Clock = systemClock): WebhookHandler {
  const { secret, then: actions, window = 5_000 } = checkOptions(options);
  const fold = createFold(window, clock);
  const deliveries = new Map<string, number>();
  const immediate = actions.filter(({ everyTime }) => everyTime);
  const throttled = actions.filter(({ everyTime }) => !everyTime);

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

    const event = { body: parseJson(body), context: input };
    const run = async (chosen: readonly WebhookAction[]) => {
      const reports = await Promise.all(chosen.map((action) => runAction(action, event, clock)));
      const failed = reports.filter(({ ok }) => !ok);
      for (const report of failed) log(report, input);
      // The sender may repeat a delivery whose action failed.
      if (failed.length > 0) deliveries.delete(verdict.delivery ?? '');
      return reports;
    };
    const later = throttled.length > 0 ? fold(() => run(throttled)) : undefined;
    const waitUntil = later?.folded ? waitUntilOf([input, ...more]) : undefined;
    if (later) waitUntil?.(later.done);
    const awaited = waitUntil ? [] : later?.done;
    const reports = (await Promise.all([run(immediate), awaited ?? []])).flat();
    const ok = reports.every((report) => report.ok);
    const status = waitUntil ? 202 : 200;
    return respond(ok ? status : 502, { ok, folded: later?.folded === true, actions: reports });
  };
}

function checkOptions(options: WebhookOptions): WebhookOptions {
  const { secret, then: actions, window = 0 } = options;
  if (secret !== false && (!secret || signingKeys(secret).length === 0)) {
    const problem = secret ? 'not base64 after "whsec_"' : 'missing or empty';
    throw invalid(`webhook(): \`secret\` is ${problem}. \`secret: false\` accepts every request.`);
  }
  if (!Array.isArray(actions) || actions.length === 0 || !(window >= 0)) {
    throw invalid(
      'webhook(): `then` needs at least one action, such as `[deployHook(url)]`; `window`, if set, is a number of milliseconds.',
    );
  }
  return options;
}

/**
 * Throttles tasks. The first one runs at once. All that follow within `window` milliseconds are folded into
 * one: the last of them runs when the window ends, and begins the next window.
 */
function createFold(window: number, clock: Clock) {
  let nextStart = Number.NEGATIVE_INFINITY;
  let latest: Task;
  let waiting: ReturnType<Task> | undefined;

  function run(): ReturnType<Task> {
    nextStart = clock.now() + window;
    waiting = undefined;
    return latest();
  }

  return (task: Task) => {
    latest = task;
    const wait = nextStart - clock.now();
    if (!waiting && wait <= 0) return { folded: false, done: run() };
    waiting ??= sleep(clock, wait).then(run);
    return { folded: true, done: waiting };
  };
}

type Task = () => Promise<ActionReport[]>;

/** The paths of `waitUntil()` in the arguments with which hosts and Astro's adapters call a handler. */
const paths = [[], ['locals', 'cfContext'], ['locals', 'netlify', 'context']] as const;

/** Finds the host's function that lets work continue after the response; undefined when it has none. */
function waitUntilOf(values: readonly unknown[]): ((task: Promise<unknown>) => void) | undefined {
  const holders = values.flatMap((value) => paths.map((path) => path.reduce(read, value)));
  for (const holder of holders) {
    const waitUntil = read(holder, 'waitUntil');
    if (typeof waitUntil === 'function') return (task) => void waitUntil.call(holder, task);
  }
  return undefined;
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function log({ action, attempts, error }: ActionReport, context: object): void {
  const logger = 'logger' in context && isLogger(context.logger) ? context.logger : console;
  logger.warn(`[astro-articles] The webhook's ${action} failed (attempts: ${attempts}). ${error}`);
}

function isLogger(value: unknown): value is { warn(line: string): void } {
  return typeof read(value, 'warn') === 'function';
}

function refuse(status: number, error: string, headers: Record<string, string> = {}): Response {
  return respond(status, { ok: false, error }, headers);
}

function respond(status: number, value: object, headers: Record<string, string> = {}): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
