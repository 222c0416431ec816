import { FailureError } from './failure.ts';

/**
 * The redirects that are followed. `'any-origin'` is for requests without a secret, and does not include
 * redirects from https to http.
 */
export type RedirectPolicy = 'same-origin' | 'any-origin';

const maxRedirects = 5;

/**
 * Sends a request and follows its redirects. `fetch` must not follow them by itself: it would forward
 * the API key to any other origin, even from https to http (https://github.com/nodejs/undici/issues/4917).
 */
export async function followRedirects(
  start: URL,
  policy: RedirectPolicy,
  send: (url: URL) => Promise<Response>,
): Promise<Response> {
  let url = start;
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await send(url);
    if (!isRedirect(response)) return response;
    await response.body?.cancel();
    url = targetOf(response, url, policy);
  }
  throw refused(`redirects more than ${maxRedirects} times`);
}

/** Whether a response is a redirect. With `redirect: 'manual'`, browsers hide its status and target. */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

function targetOf({ headers }: Response, from: URL, policy: RedirectPolicy): URL {
  const location = headers.get('location');
  if (!location || !URL.canParse(location, from)) {
    throw refused('redirects without a usable `Location`');
  }
  const target = new URL(location, from);
  const { origin, protocol, username, password } = target;
  const route = `redirects from ${from.origin} to ${origin === 'null' ? protocol : origin}`;
  if (username || password) throw refused(`${route} with a user name or password`);
  if (policy === 'same-origin' && origin !== from.origin) {
    throw refused(`${route}, which must not receive the API key`);
  }
  const isHttp = protocol === 'http:' && from.protocol === 'http:';
  if (protocol !== 'https:' && !isHttp) throw refused(`${route}, which is not https`);
  return target;
}

function refused(reason: string): FailureError {
  return new FailureError({ code: 'redirect', reason });
}
