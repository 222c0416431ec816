import { ArticlesError, ArticlesOptionsError } from '../errors.ts';
import { type Failure, FailureError } from '../http/failure.ts';
import { decide } from '../http/retry.ts';
import { statusFailure } from '../http/status.ts';
import { type Clock, sleep } from '../shared/clock.ts';

/** The request that caused an action. */
export interface WebhookEvent {
  /** The parsed body; undefined when it is not JSON. */
  body: unknown;
  /** The argument of the handler: Astro's context, or the request itself. */
  context: unknown;
  /** Aborted when the action takes too long. */
  signal: AbortSignal;
  /** Lets work continue after the response. Undefined on hosts where it continues by itself, or stops. */
  waitUntil?: ((task: Promise<unknown>) => void) | undefined;
}

export interface WebhookAction {
  /** Names the action in the response and in the log. */
  name: string;
  /** Whether it runs for each request of a burst. @default false */
  everyTime?: boolean;
  /** Runs the action. If it throws, it is tried again. */
  run(event: WebhookEvent): Promise<void>;
}

export interface ActionReport {
  action: string;
  ok: boolean;
  attempts: number;
  /** Why it failed. */
  error?: string;
}

/** Milliseconds for one attempt. */
const timeLimit = 10_000;
const retry = { limit: 2, maxDelay: 10_000 };
/** An action has no deadline of its own, and takes no part in the retries of other requests. */
const limits = { freeRetries: 0, timeLeft: Number.POSITIVE_INFINITY, hasBudget: true };

/** Starts a build through the build hook of a host: Netlify, Vercel, Cloudflare. */
export function deployHook(url: string | URL | undefined): WebhookAction {
  const hook = url && URL.canParse(url) ? new URL(url) : undefined;
  // Plain http is accepted on this machine, for tests.
  if (hook?.protocol !== 'https:' && hook?.hostname !== '127.0.0.1') {
    const needs = 'deployHook() needs the https address of a build hook.';
    return unusable('deployHook', `${needs} Set the environment variable that it comes from.`);
  }
  return { name: 'deployHook', run: ({ signal }) => post(hook, { signal }) };
}

export interface GithubDispatchOptions {
  /** The repository as `owner/name`. */
  repository: string | undefined;
  /** A token that may write the contents of the repository. */
  token: string | undefined;
  /** The type in `on: repository_dispatch` of the workflow. @default 'articles-updated' */
  event?: string | undefined;
}

/** Starts the workflows of a GitHub repository that wait for an event. */
export function githubDispatch({
  repository = '',
  token,
  event = 'articles-updated',
}: GithubDispatchOptions): WebhookAction {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || !token) {
    const needs = 'githubDispatch() needs `repository` as "owner/name", and a `token`.';
    return unusable(
      'githubDispatch',
      `${needs} Set the environment variables that they come from.`,
    );
  }
  const url = new URL(`https://api.github.com/repos/${repository}/dispatches`);
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    // GitHub refuses requests without one.
    'user-agent': 'astro-articles',
    'x-github-api-version': '2022-11-28',
  };
  const body = JSON.stringify({ event_type: event });
  return { name: 'githubDispatch', run: ({ signal }) => post(url, { signal, headers, body }) };
}

/** Returns an action that fails, because an argument is missing or invalid. The other actions of its webhook run. */
function unusable(name: string, message: string): WebhookAction {
  return { name, run: () => Promise.reject(invalid(message)) };
}

/** A request that was accepted. Each attempt of an action has a signal of its own. */
export type AcceptedEvent = Omit<WebhookEvent, 'signal'>;

/** Runs an action until it succeeds, three times at most. Logs its failure, and does not throw. */
export async function runAction(
  action: WebhookAction,
  event: AcceptedEvent,
  clock: Clock,
): Promise<ActionReport> {
  const history = { attempts: 0, retries: 0, throttled: 0, waited: 0 };
  for (;;) {
    history.attempts += 1;
    const { attempts } = history;
    try {
      await action.run({ ...event, signal: AbortSignal.timeout(timeLimit) });
      return { action: action.name, ok: true, attempts };
    } catch (error) {
      const random = clock.random();
      const next = decide(failureOf(error), { history, retry, random, ...limits });
      if (next.action === 'give-up') {
        const report = { action: action.name, ok: false, attempts, error: describe(error) };
        logFailure(report, event.context);
        return report;
      }
      history.retries += 1;
      await sleep(clock, next.wait);
    }
  }
}

async function post(url: URL, init: RequestInit): Promise<void> {
  const response = await fetch(url, { ...init, method: 'POST', redirect: 'manual' }).catch(() => {
    // The message of the error can contain the address, which is a secret.
    throw new FailureError({ code: 'network', reason: 'There was no response.' });
  });
  await response.body?.cancel();
  const { ok, status } = response;
  if (ok) return;
  const reason = `The response was ${status}.`;
  throw new FailureError({ ...statusFailure(response, '', Date.now()), reason });
}

/** Returns the failure that the retry policy knows. An error of other code may be temporary. */
function failureOf(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  const code = error instanceof ArticlesOptionsError ? error.code : 'network';
  return { code, reason: describe(error) };
}

/** Describes an error. Errors of other code may quote addresses and secrets, so only their name is used. */
function describe(error: unknown): string {
  if (ArticlesError.is(error) || error instanceof FailureError) return error.message;
  return `It failed with ${error instanceof Error ? error.name : 'an error'}.`;
}

/** Logs a failure with Astro's logger, or the console. */
function logFailure({ action, attempts, error }: Required<ActionReport>, context: unknown): void {
  const { logger = console } = Object(context);
  logger.warn(`[astro-articles] The webhook's ${action} failed (attempts: ${attempts}). ${error}`);
}

/** Creates the error of an argument that is missing or invalid. */
export function invalid(message: string): ArticlesOptionsError {
  const hint = 'Set the environment variables that its arguments come from.';
  return new ArticlesOptionsError('invalid-options', message, { hint });
}
