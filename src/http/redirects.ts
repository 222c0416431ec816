import { readBody } from './body.ts';
import { FailureError } from './failure.ts';
import type { Reply, ReplyHead } from './send.ts';

/**
 * The redirects that are followed. `'any-origin'` is for requests without a secret, and does not include
 * redirects from https to http.
 */
export type RedirectPolicy = 'same-origin' | 'any-origin';

const maxRedirects = 5;
/** The size limit of the body of a redirect in bytes. */
const maxBytes = 65_536;
const redirectStatuses = [301, 302, 303, 307, 308];

/**
 * Sends a request and follows its redirects. `fetch` must not follow them by itself: it would forward
 * the API key to any other origin, even from https to http (https://github.com/nodejs/undici/issues/4917).
 */
export async function followRedirects(
  start: URL,
  policy: RedirectPolicy,
  send: (url: URL) => Promise<Reply>,
): Promise<Reply> {
  let url = start;
  for (let count = 0; ; count++) {
    const response = await send(url);
    if (!redirectStatuses.includes(response.status)) return response;
    // Its connection is used again if the body has been read.
    await readBody(response, maxBytes).catch(() => undefined);
    if (count === maxRedirects)
      throw redirectFailure(`redirects more than ${maxRedirects} times`, response);
    url = targetOf(response, url, policy);
  }
}

function targetOf(response: ReplyHead, from: URL, policy: RedirectPolicy): URL {
  const location = response.headers.get('location');
  const target = location ? URL.parse(location, from) : null;
  if (!target) throw redirectFailure('redirects without a usable `Location`', response);
  const { origin, protocol, username, password } = target;
  const route = `redirects from ${from.origin} to ${origin === 'null' ? protocol : origin}`;
  if (username || password)
    throw redirectFailure(`${route} with a user name or password`, response);
  if (policy === 'same-origin' && origin !== from.origin) {
    throw redirectFailure(`${route}, which is another origin`, response);
  }
  const isHttp = protocol === 'http:' && from.protocol === 'http:';
  if (protocol !== 'https:' && !isHttp)
    throw redirectFailure(`${route}, which is not https`, response);
  return target;
}

function redirectFailure(reason: string, { status, headers }: ReplyHead): FailureError {
  return new FailureError({ code: 'redirect', reason, status, headers });
}
