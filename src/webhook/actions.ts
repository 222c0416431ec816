import { ArticlesOptionsError } from '../errors.ts';
import { FailureError, statusFailure } from '../http/failure.ts';

/** The request that caused an action. If it runs for several requests, `context` and `body` are from the latest request. */
export interface WebhookEvent {
  /** The parsed body; undefined when it is not JSON. */
  body: unknown;
  /** The bodies of all requests for which the action runs this time, the latest one last. */
  bodies: readonly unknown[];
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
  /** Runs the action. If it throws, it may be tried again. */
  run(event: WebhookEvent): Promise<void>;
}

/** Starts a build through the build hook of a host: Netlify, Vercel, Cloudflare. */
export function deployHook(url: string | URL | undefined): WebhookAction {
  const hook = URL.parse(url ?? '');
  // Plain http is accepted on this machine, for tests.
  if (hook?.protocol !== 'https:' && hook?.hostname !== '127.0.0.1') {
    return failingAction('deployHook', 'the https URL of a build hook');
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
  if (!/^[\w-]+\/[\w.-]+$/.test(repository) || !token) {
    return failingAction('githubDispatch', '`repository` as "owner/name", and a `token`');
  }
  const url = new URL(`https://api.github.com/repos/${repository}/dispatches`);
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    // GitHub refuses requests without a User-Agent.
    'user-agent': 'astro-articles',
    'x-github-api-version': '2022-11-28',
  };
  const body = JSON.stringify({ event_type: event });
  return { name: 'githubDispatch', run: ({ signal }) => post(url, { signal, headers, body }) };
}

/** Returns an action that fails, because an argument is missing or invalid. The other actions of its webhook run. */
function failingAction(name: string, needs: string): WebhookAction {
  const message = `${name}() needs ${needs}. Set the environment variables of its arguments.`;
  return { name, run: () => Promise.reject(new ArticlesOptionsError('invalid-options', message)) };
}

async function post(url: URL, init: RequestInit): Promise<void> {
  const response = await fetch(url, { ...init, method: 'POST', redirect: 'manual' }).catch(() => {
    // The message of the error can contain the URL, which is a secret.
    throw new FailureError({ code: 'network', reason: 'There was no response.' });
  });
  await response.body?.cancel();
  if (response.ok) return;
  const reason = `The response was ${response.status}.`;
  throw new FailureError({ ...statusFailure(response, Date.now()), reason });
}
