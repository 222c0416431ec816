import { ArticlesOptionsError } from '../errors.ts';
import { readBody } from '../http/body.ts';
import { type Clock, sleep, systemClock } from '../shared/clock.ts';
import { createBursts, type PacedAction } from './bursts.ts';
import { keyProblem, type Verdict, verifyRequest } from './verify-request.ts';

export interface WebhookOptions {
  /**
   * The secret that the service sends or signs with, of at least 16 bytes; see `verifyRequest()`. A request
   * without it is refused. With `false`, every request is accepted.
   */
  secret: string | false | undefined;
  /** The actions that a request causes. They run at the same time. */
  actions: readonly PacedAction[];
  /** Milliseconds: the first request acts at once, and all others within it cause one more action. @default 5_000 */
  window?: number;
}

/** Accepts a `Request`, or the context of a host that contains one. */
export type WebhookHandler = (
  input: Request | { request: Request },
  ...more: unknown[]
) => Promise<Response>;

/** The size limit of a body in bytes. */
const maxBodyBytes = 1_000_000;
/** Milliseconds until the response, on hosts where the actions can continue after it. */
const responseDelayMs = 1_000;

/**
 * Creates the handler of a webhook. It uses no API of Node, so it runs as an endpoint of Astro or as a function
 * of any host. The response is JSON: 200 once the actions have succeeded, 202 when they run after the
 * response, 401 for a request without the secret, 502 when an action failed.
 *
 * @throws {ArticlesOptionsError} when the secret is missing or can be guessed, or the actions are missing
 */
export function webhook(options: WebhookOptions, clock: Clock = systemClock): WebhookHandler {
  const { secret, actions, window = 5_000 } = options;
  const problem = secret === false ? undefined : keyProblem(secret);
  if (problem)
    throw invalidWebhook(`\`secret\` ${problem}. \`secret: false\` accepts every request.`);
  if (!Array.isArray(actions) || actions.length === 0) {
    throw invalidWebhook('`actions` needs at least one action, such as `[deployHook(url)]`.');
  }
  if (!(window >= 0)) throw invalidWebhook('`window` is not a number of milliseconds.');
  const deliveries = new Map<string, number>();
  const bursts = actions.map((action) => createBursts(action, window, clock));

  return async (input, ...more) => {
    const request = 'request' in input ? input.request : input;
    if (request.method !== 'POST')
      return respond(405, { ok: false, error: 'Send a POST request.' }, { allow: 'POST' });
    const { headers } = request;
    const bytes = await readBody(new Response(request.body), maxBodyBytes).catch(() => undefined);
    if (!bytes) {
      const error = `The body is incomplete, or larger than ${maxBodyBytes} bytes.`;
      return respond(413, { ok: false, error });
    }
    const signed = { url: new URL(request.url), headers, body: bytes };
    const verdict: Verdict = secret
      ? await verifyRequest(signed, { secret, date: clock.date(), deliveries })
      : { status: 'valid' };
    if (verdict.status === 'refused') return respond(401, { ok: false, error: verdict.reason });

    const waitUntil = waitUntilOf([input, ...more]);
    const body: unknown = await new Response(signed.body).json().catch(() => undefined);
    const event = { body, context: input, waitUntil };
    const runs = bursts.map((run) => run(event));
    const response = Promise.all(runs.map(({ report }) => report)).then((reports) => {
      const ok = reports.every((report) => report.ok);
      // The sender may repeat each delivery whose action failed, also if it was the action of a later delivery.
      if (!ok) deliveries.delete(verdict.delivery ?? '');
      return respond(ok ? 200 : 502, { ok, actions: reports });
    });
    if (!waitUntil) return response;
    waitUntil(Promise.all([response, ...runs.map(({ all }) => all)]));
    const soon = sleep(clock, responseDelayMs).then(() => respond(202, { ok: true, actions: [] }));
    return Promise.race([response, soon]);
  };
}

function invalidWebhook(problem: string): ArticlesOptionsError {
  const hint = 'Set the environment variables that its arguments come from.';
  return new ArticlesOptionsError('invalid-options', `webhook(): ${problem}`, { hint });
}

/** Finds the host's function that lets work continue after the response; undefined when it has none. */
function waitUntilOf(values: readonly unknown[]): ((task: Promise<unknown>) => void) | undefined {
  const holders = values.flatMap((value) => {
    // Hosts pass it to a function, and Astro's adapters to an endpoint.
    const { locals } = Object(value);
    return [value, locals?.cfContext, locals?.netlify?.context];
  });
  // What `waitUntil()` of @vercel/functions uses.
  holders.push(Reflect.get(globalThis, Symbol.for('@vercel/request-context'))?.get?.());
  const holder = holders.find((each) => typeof Object(each).waitUntil === 'function');
  return holder && ((task) => void holder.waitUntil(task));
}

function respond(status: number, value: object, headers?: Record<string, string>): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
