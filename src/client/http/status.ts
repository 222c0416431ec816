import type { Failure } from './failure.ts';
import { retryAfter } from './retry-after.ts';

interface StatusResponse {
  status: number;
  headers: Headers;
  /** What the service says about it, fit for a message. Empty when it says nothing. */
  detail: string;
  /** Milliseconds since 1970, to compare a `Retry-After` date with if the response has no `Date`. */
  date: number;
}

const keyHint =
  'Check the key. It is created in the service under Settings → Integrations → REST API → ' +
  '"Generate API key", is shown only once, and is read from ARTICLES_API_KEY unless `apiKey` is set.';
const pathHint =
  'Check `baseUrl`. The path /api/integrations/project/articles/ is added to it automatically.';

/** Describes a status that was not expected, and is not a redirect. */
export function statusFailure({ status, headers, detail, date }: StatusResponse): Failure {
  const said = detail.replace(/\.+$/, '');
  const reason = `responded ${status}${said && `: ${said}`}`;
  if (status === 204 || status === 205) {
    return { code: 'empty-body', status, reason: `responded ${status}, without a body` };
  }
  if (status === 401 || status === 403) {
    return {
      code: 'unauthorized',
      status,
      reason: `the service refused the API key with ${status}${said && ` ("${said}")`}`,
      hint: keyHint,
    };
  }
  if (status === 404 || status === 410) {
    return { code: 'not-found', status, reason, hint: pathHint };
  }
  const wait = retryAfter(headers, date);
  if (status === 429) return { code: 'throttled', status, reason, ...wait };
  if (status >= 500) return { code: 'server-error', status, reason, ...wait };
  if (status >= 400) return { code: 'refused', status, reason, ...wait };
  return { code: 'unexpected-status', status, reason };
}

/** Whether a status may pass by itself: 500, 502–504, and 52x, which proxies use. */
export function isTransient(status = 0): boolean {
  return status === 500 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
}
