import type { IncomingMessage } from 'node:http';
import { verifyRequest } from '../../shared/verify-request.ts';

/** The size limit of a body in bytes. The body is read because a signature covers it. */
const maxBytes = 1_000_000;

export type RefreshAccess = (request: IncomingMessage, url: URL) => Promise<string | undefined>;

/**
 * Creates the access check of refresh requests. With a secret, it accepts the same requests as `webhook()`.
 *
 * @returns a function that returns the reason to refuse a request; undefined when it is accepted
 */
export function createRefreshAccess(secret: string | undefined): RefreshAccess {
  const deliveries = new Map<string, number>();

  return async (request, url) => {
    // A dev server with https uses HTTP/2, where `:authority` replaces `host`.
    const { origin, ':authority': authority, host = authority } = request.headers;
    const body = await readAll(request);
    if (origin && (!URL.canParse(origin) || new URL(origin).host !== host)) {
      return 'Pages of other origins must not refresh the articles.';
    }
    if (!secret) {
      return isLoopback(request.socket.localAddress)
        ? undefined
        : 'Requests from other machines need a secret: set ARTICLES_REFRESH_SECRET, and send it as ' +
            '`?secret=`, as a bearer token, or as a signature.';
    }
    if (!body) return `The body is larger than ${maxBytes} bytes.`;
    const headers = headersOf(request);
    const verdict = await verifyRequest({ url, headers, body }, { secret, deliveries });
    return verdict.status === 'refused' ? verdict.reason : undefined;
  };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!name.startsWith(':')) headers.append(name, value);
  }
  return headers;
}

/** Reads a body to its end, so that a response can be sent; undefined when it is too large. */
async function readAll(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size <= maxBytes ? new Uint8Array(Buffer.concat(chunks)) : undefined;
}

function isLoopback(address = ''): boolean {
  return /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);
}
