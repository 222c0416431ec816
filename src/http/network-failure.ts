import { messageOf } from '../errors.ts';
import { excerpt, type Redact } from './api-key.ts';
import { type Failure, FailureError } from './failure.ts';

const tlsCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;
const protocolCode = /^HPE_|ERR_SSL|UND_ERR_(HEADERS_OVERFLOW|RES_|INVALID)/;
const maxCauses = 5;

/** Describes an error of `fetch`, or of the stream of a body. */
export function networkFailure(
  error: unknown,
  { host, redact }: { host: string; redact: Redact },
): FailureError {
  const code = systemCode(error);
  if (code) return new FailureError(describe(code, host), { cause: error });
  const message = excerpt(redact(messageOf(error)));
  const reason = `the connection to ${host} failed (${message})`;
  return new FailureError({ code: 'network', reason }, { cause: error });
}

function describe(code: string, host: string): Failure {
  if (tlsCode.test(code)) {
    return { code: 'tls', reason: `the certificate of ${host} was not accepted (${code})` };
  }
  if (protocolCode.test(code)) {
    return { code: 'protocol', reason: `${host} does not speak HTTP as expected (${code})` };
  }
  if (code === 'ENOTFOUND') {
    return { code: 'dns', reason: `the host name ${host} could not be resolved (${code})` };
  }
  const hint = 'Check that the service is running, and the host and port of `baseUrl`.';
  const reason = `the connection to ${host} failed (${code})`;
  return { code: 'network', reason, ...(code === 'ECONNREFUSED' && { hint }) };
}

/** Finds the code of the system or runtime in the chain of causes. */
function systemCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < maxCauses; depth++) {
    const code = codeOf(current);
    if (code) return code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}

function codeOf(error: Error): string | undefined {
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z\d_]+$/.test(error.code)) {
    return error.code;
  }
  // Node's fetch names this error, but gives it no code.
  return error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
}
