import { expect, test } from 'vitest';
import { networkFailure, toRequestError } from '../../../src/http/failure.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

test('a host name that is not found has a hint for sites without a service', () => {
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const url = 'https://app.example.com/';
  const failure = networkFailure(unknown, new URL(url), String);
  const { code, hint } = toRequestError(failure, { url, attempts: 1, redact: String });
  expect(code).toBe('dns');
  expect(hint).toMatch(/Check `baseUrl`.*`npx astro-articles serve`/);
});

test.each([
  [
    'CERT_HAS_EXPIRED',
    'the certificate of a.test has expired, or is not valid yet',
    'has to be renewed',
  ],
  ['CERT_NOT_YET_VALID', 'or is not valid yet', 'the clock of this machine'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host', 'Check the host name'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'is from an unknown authority', 'NODE_EXTRA_CA_CERTS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is from an unknown authority', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'is from an unknown authority', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_UNTRUSTED', 'is from an unknown authority', 'NODE_EXTRA_CA_CERTS'],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', 'the port of a.test has no usable TLS', 'the scheme and port'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the port of a.test has no usable TLS', 'the scheme and port'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the port of a.test has no usable TLS', 'the scheme and port'],
])('the TLS error %s says what is wrong: %s', (code, reason, hint) => {
  const cause = Object.assign(new Error('x'), { code });
  const { failure } = networkFailure(
    new TypeError('fetch failed', { cause }),
    new URL('https://a.test'),
    String,
  );
  expect(failure).toMatchObject({
    code: 'tls',
    reason: expect.stringContaining(`${reason} (${code})`),
    hint: expect.stringContaining(hint),
  });
});

test('headers beyond the limit of Node are named', async () => {
  const { url } = await temporaryServer((_, response) =>
    response.setHeader('x', 'a'.repeat(20_000)).end(),
  );
  const error: unknown = await fetch(url).catch((thrown) => thrown);
  const { failure } = networkFailure(error, new URL(url), String);
  expect(failure.code).toBe('network');
  expect(failure.hint).toContain('headers of the response are too long');
});

test('an error of `fetch` is described by its cause, or by the first of several', () => {
  const url = new URL('https://a.test');
  const failed = (cause: unknown) =>
    networkFailure(new TypeError('fetch failed', { cause }), url, String);
  expect(failed(new Error('closed')).message).toContain('failed (closed)');
  const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
  expect(failed(new AggregateError([refused, new Error('y')])).message).toContain('(ECONNREFUSED)');
});

test.each([
  ['ERR_HTTP2_ERROR', 'ERR_HTTP2_ERROR'],
  ...['E', 'no_CODE', 'CODE no', '1E'].map((code) => [code, 'a message']),
])('an error of the code %j is described by %j', (code, detail) => {
  const error = Object.assign(new Error('a message'), { code });
  expect(networkFailure(error, new URL('https://a.test'), String).message).toContain(
    `failed (${detail})`,
  );
});
