import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hash } from '../../shared/hash.ts';

/** Says why a request may not refresh the articles; undefined when it may. */
export function refusalOf(
  request: IncomingMessage,
  { url, secret }: { url: URL; secret: string | undefined },
): string | undefined {
  const { origin, host, authorization = '' } = request.headers;
  if (origin && (!URL.canParse(origin) || new URL(origin).host !== host)) {
    return 'Pages of other origins must not refresh the articles.';
  }
  if (!secret) {
    return isLoopback(request.socket.localAddress)
      ? undefined
      : 'Requests from other machines need a secret: set ARTICLES_REFRESH_SECRET, and send it as ' +
          '`?secret=` or as a bearer token.';
  }
  const given = url.searchParams.get('secret') ?? authorization.replace(/^Bearer /i, '');
  return isSame(given, secret) ? undefined : 'The secret is missing or wrong.';
}

/** Compares in constant time, which needs texts of the same length. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hash(a)), Buffer.from(hash(b)));
}

function isLoopback(address = ''): boolean {
  return /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);
}
