import type { Fault } from './failure.ts';
import { retryAfter } from './retry.ts';

interface StatusContext {
  status: number;
  headers: Headers;
  /** What the service said about it, already fit to be shown; empty when nothing. */
  detail: string;
  /** Milliseconds since 1970, to read a `Retry-After` date when the answer has no `Date`. */
  date: number;
}

const keyHint =
  'Check the key: it is made in the service under Settings → Integrations → REST API → ' +
  '"Generate API key", is shown only once, and is read from ARTICLES_API_KEY unless `apiKey` is given.';

/** Says what a status means that is neither 200 nor a redirect. */
export function statusFault({ status, headers, detail, date }: StatusContext): Fault {
  const reason = `answered ${status}${detail ? `: ${detail.replace(/\.+$/, '')}` : ''}`;
  if (status === 401 || status === 403) {
    const said = detail && ` (it says: ${detail.replace(/\.+$/, '')})`;
    return {
      code: 'unauthorized',
      status,
      reason: `the service refused the API key with ${status}${said}`,
      hint: keyHint,
    };
  }
  if (status === 404 || status === 410) {
    return {
      code: 'not-found',
      status,
      reason,
      hint: 'Check `baseUrl`: the path /api/integrations/project/articles/ is added to it.',
    };
  }
  const wait = retryAfter(headers, date);
  if (status === 429) return { code: 'throttled', status, reason, ...wait };
  if (status >= 500) return { code: 'server-error', status, reason, ...wait };
  if (status >= 400) return { code: 'refused', status, reason, ...wait };
  return { code: 'unexpected-status', status, reason };
}
