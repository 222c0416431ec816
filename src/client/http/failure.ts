import { type ArticlesError, type ArticlesErrorCode, ArticlesRequestError } from '../../errors.ts';
import { BodyFault } from './body.ts';
import { JsonFault } from './json.ts';
import type { Redact } from './redact.ts';

/** What went wrong in one attempt, before it is known whether another one follows. */
export interface Fault {
  code: ArticlesErrorCode;
  /** What happened, to follow "GET …: ". */
  reason: string;
  status?: number;
  /** How long the service asked to wait, in milliseconds. */
  retryAfter?: number;
  hint?: string;
}

/** Thrown within an attempt; never leaves the client. */
export class FaultSignal extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.reason);
    this.fault = fault;
  }
}

/** Whether an error says that an answer is at fault, and not whoever reads it. */
export function isFault(error: unknown): boolean {
  return error instanceof FaultSignal || error instanceof BodyFault || error instanceof JsonFault;
}

/**
 * Turns whatever a fetch, a body or a decoder threw into a fault. What a runtime says is not passed
 * on as it is: a custom fetch may put the request, key included, into its errors.
 */
export function toFault(error: unknown, { redact, host }: { redact: Redact; host: string }): Fault {
  if (error instanceof FaultSignal) return error.fault;
  if (error instanceof BodyFault) return bodyFault(error);
  if (error instanceof JsonFault) {
    return { code: error.kind === 'depth' ? 'too-deep' : 'bad-json', reason: `${error.message}` };
  }
  return networkFault(error, { redact, host });
}

function bodyFault({ kind, message }: BodyFault): Fault {
  if (kind === 'too-large') {
    return {
      code: 'body-too-large',
      reason: message,
      hint: 'Raise `maxBytes` if such an answer is right for this service.',
    };
  }
  return { code: kind === 'text' ? 'bad-text' : 'bad-json', reason: message };
}

const tlsCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;
const protocolCode = /^HPE_|ERR_SSL|UND_ERR_(HEADERS_OVERFLOW|RES_|INVALID)/;

function networkFault(error: unknown, { redact, host }: { redact: Redact; host: string }): Fault {
  const code = errorCode(error);
  if (code && tlsCode.test(code)) {
    return {
      code: 'tls',
      reason: `the certificate of ${host} was not accepted (${code})`,
      hint: 'If the service uses a private certificate authority, name its file in NODE_EXTRA_CA_CERTS.',
    };
  }
  if (code && protocolCode.test(code)) {
    return {
      code: 'protocol',
      reason: `${host} does not speak HTTP as expected (${code})`,
      hint: 'Check scheme and port of `baseUrl`: https asked on an http port looks like this.',
    };
  }
  if (code === 'ENOTFOUND') {
    return {
      code: 'dns',
      reason: `the name ${host} could not be resolved (${code})`,
      hint: 'Check `baseUrl`, and that this machine may resolve public names.',
    };
  }
  const detail = code ?? redact(error instanceof Error ? error.message : String(error));
  return {
    code: 'network',
    reason: `the connection to ${host} failed (${detail})`,
    hint:
      code === 'ECONNREFUSED'
        ? 'Nothing listens there: check that the service is running, and host and port of `baseUrl`.'
        : 'Try again later; check `baseUrl`, and that this machine reaches it.',
  };
}

/** The system's word for the failure, from the chain of causes or a list of tried addresses. */
function errorCode(error: unknown): string | undefined {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    const code: unknown = Reflect.get(current, 'code');
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    // Node's fetch gives this one a name only.
    if (current.name === 'HTTPParserError') return 'HPE_INVALID';
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}

const later = 'Try again later; if it stays so, the service itself is at fault.';
const hints: Partial<Record<ArticlesErrorCode, string>> = {
  refused: 'The service understood the address, but not the request: what it says may tell why.',
  throttled: 'Try again later, or ask less at once: lower `concurrency`.',
  timeout: 'If the service is slow, raise `timeout`, or ask for smaller pages with `pageSize`.',
  unavailable: later,
  'server-error': later,
  'unexpected-status': later,
  'empty-body': later,
  'bad-json': later,
  'bad-text': later,
  'too-deep': later,
};

/** The error that a caller sees, once no attempt is left. */
export function toRequestError(
  fault: Fault,
  { url, attempts, note }: { url: URL; attempts: number; note?: string | undefined },
): ArticlesError {
  const notes = [attempts === 1 ? '' : `${attempts} attempts`, note ?? '']
    .filter(Boolean)
    .join('; ');
  const noted = notes && ` (${notes})`;
  return new ArticlesRequestError(fault.code, `GET ${url.href}: ${fault.reason}${noted}.`, {
    url: url.href,
    status: fault.status,
    retryAfter: fault.retryAfter,
    hint: fault.hint ?? hints[fault.code],
    attempts,
  });
}
