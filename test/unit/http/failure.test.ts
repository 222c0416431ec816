import { expect, test } from 'vitest';
import { networkFailure, toRequestError } from '../../../src/http/failure.ts';

const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });

function hintFor(host: string): string | undefined {
  const failure = networkFailure(unknown, host, String);
  const url = `https://${host}/`;
  return toRequestError(failure, { url, attempts: 1, redact: String }).hint;
}

test.each(['app.example.com', 'example.com', 'app.example.com:8443'])(
  '%s is recognised as the host of the documentation',
  (host) => {
    expect(hintFor(host)).toContain('`npx astro-articles serve`');
  },
);

test.each(['app.example.dev', 'notexample.com', 'example.com.test'])(
  '%s is a host like any other',
  (host) => {
    expect(hintFor(host)).toContain('Check `baseUrl`');
  },
);
