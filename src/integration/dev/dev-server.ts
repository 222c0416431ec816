import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HookParameters } from 'astro';
import pLimit from 'p-limit';
import { loaderName, siteAt } from '../../content/site-state.ts';
import { readBody } from '../../http/body.ts';
import { messageOf } from '../../messages.ts';
import { sleep, systemClock } from '../../shared/clock.ts';
import { verifyRequest } from '../../webhook/verify-request.ts';
import { messages, type RefreshState } from './toolbar-app.ts';

/** The time limit in milliseconds for Astro to read the content config. */
const configTimeoutMs = 10_000;
const retryAfterMs = 100;

/**
 * Keeps the articles of a dev server up to date, one load after another, also when Astro or Vite restart it.
 *
 * @param how `interval`: milliseconds between two checks of the listing; `secret`: the secret of refresh requests
 */
export function startDevServer(
  root: URL,
  { interval, secret }: { interval: number | undefined; secret: string | undefined },
  { server, toolbar, refreshContent, logger }: HookParameters<'astro:server:setup'>,
): void {
  const closed = new AbortController();
  const site = siteAt(root);
  site.stopServer();
  site.stopServer = () => closed.abort(new Error('The dev server has restarted.'));
  const oneByOne = pLimit(1);
  let isFirst = true;
  let failure: string | undefined;
  let next: Promise<RefreshState> | undefined;

  /** Sends the state to the toolbars of open pages. */
  function show(): RefreshState {
    const reports = [...site.reports.values()];
    const error = failure ?? reports.find((report) => report.error)?.error;
    const state = { reports, error };
    if (!closed.signal.aborted) toolbar.send(messages.state, state);
    return state;
  }

  async function run(load: () => Promise<void>): Promise<RefreshState> {
    const former = failure;
    failure = await load().then(() => undefined, messageOf);
    if (failure && failure !== former && !closed.signal.aborted) {
      logger.error(`The articles could not be refreshed: ${failure}`);
    }
    return show();
  }

  /** Makes Astro load its collections. */
  async function loadSite(): Promise<void> {
    next = undefined;
    const { loads } = site;
    const deadline = systemClock.now() + configTimeoutMs;
    // Astro 6 takes the first refresh for a change of its config and clears all collections (withastro/astro#11591), so
    // it has to load all.
    const ours = { loaders: [loaderName], context: { [loaderName]: 'refresh' } };
    for (;;) {
      await refreshContent?.(isFirst ? {} : ours);
      if (site.loads > loads) break;
      // Until Astro has read the content config, a refresh has no effect.
      if (systemClock.now() > deadline) {
        if (site.reloads.size > 0) return loadDirectly();
        throw new Error('Astro did not read src/content.config within 10 seconds.');
      }
      await sleep(systemClock, retryAfterMs, closed.signal);
    }
    isFirst = false;
  }

  /** Loads the articles without Astro, which prints two lines each time, and which may have failed to restart. */
  async function loadDirectly(): Promise<void> {
    // A collection without a report is still in its first load.
    const reloads = [...site.reloads].filter(([collection]) => site.reports.has(collection));
    const loads = await Promise.allSettled(reloads.map(([, load]) => load()));
    const failed = loads.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Loads the articles. Never rejects. Calls before a load starts share it. */
  function refresh(): Promise<RefreshState> {
    next ??= oneByOne(run, loadSite);
    return next;
  }

  async function poll(pause: number): Promise<void> {
    for (;;) {
      await sleep(systemClock, pause, closed.signal);
      await oneByOne(run, loadDirectly);
    }
  }

  toolbar.on(messages.refresh, () => void refresh());
  toolbar.on(messages.request, () => void show());
  server.middlewares.use(createEndpoint(refresh, secret));
  // It ends when the server stops.
  if (interval) poll(interval).catch(() => undefined);
  // After a change of astro.config or .env, Astro and Vite restart the server without calling the loaders
  // (withastro/astro#12976).
  if (site.loads > 0) void refresh();
}

/** The path of refresh requests on the dev server, with or without the site's base path before it. */
const refreshPath = '/_articles/refresh';
/** In bytes. */
const maxRequestBytes = 1_000_000;
const loopback = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * Creates the middleware for `POST /_articles/refresh`, which loads all articles again. Of the request, it
 * uses only the secret or the signature. With a secret, it accepts the same requests as `webhook()`.
 */
export function createEndpoint(refresh: () => Promise<RefreshState>, secret: string | undefined) {
  const deliveries = new Map<string, number>();

  return (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    const url = URL.parse(`http://localhost${request.url}`);
    if (!url?.pathname.replace(/\/$/, '').endsWith(refreshPath)) return next();
    respond(request, url).then(({ status, ...body }) => {
      const headers = { 'content-type': 'application/json; charset=utf-8', allow: 'POST' };
      response.writeHead(status, headers).end(JSON.stringify(body));
    }, next);
  };

  async function respond(request: IncomingMessage, url: URL) {
    if (request.method !== 'POST') return { status: 405, ok: false, error: 'Send a POST request.' };
    const refusal = await refusalOf(request, url);
    if (refusal) return { status: 403, ok: false, error: refusal };
    const { error } = await refresh();
    return error === undefined ? { status: 200, ok: true } : { status: 502, ok: false, error };
  }

  /** Returns the reason to refuse a request; undefined when it is accepted. */
  async function refusalOf(request: IncomingMessage, url: URL): Promise<string | undefined> {
    // A dev server with https uses HTTP/2, where `:authority` replaces `host`.
    const { origin, ':authority': authority = '', host = authority } = request.headers;
    if (origin && URL.parse(origin)?.host !== host)
      return 'Requests from other origins are not allowed.';
    if (!secret) {
      return loopback.test(request.socket.localAddress ?? '')
        ? undefined
        : 'Requests from other machines need a secret: set ARTICLES_REFRESH_SECRET, and send it as ' +
            '`?secret=`, as a bearer token, or as a signature.';
    }
    // HTTP/2 has pseudo-headers in place of the first line of a request.
    const named = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'));
    const headers = new Headers(
      named.map(([name, value]): [string, string] => [name, String(value)]),
    );
    // A signature covers the body.
    const body = await readBody({ body: request }, maxRequestBytes).catch(() => undefined);
    if (!body) return `The body is incomplete, or larger than ${maxRequestBytes} bytes.`;
    const verdict = await verifyRequest({ url, headers, body }, { secret, deliveries });
    return verdict.status === 'refused' ? verdict.reason : undefined;
  }
}
