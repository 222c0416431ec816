import type { OutgoingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';
import type { ArticlesErrorCode } from '../../../src/errors.ts';
import { createClock } from '../../helpers/clock.ts';
import { temporaryServer } from '../../helpers/temporary.ts';

const apiKey = 'key-of-the-unit-tests';
const listing = '/api/integrations/project/articles/?limit=500&offset=0';

const html = { 'content-type': 'text/html; charset=utf-8' };
const json = { 'content-type': 'application/json' };
const plain = { 'content-type': 'text/plain' };
const pageOf = (title: string) =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n<title>\n  ${title}\n</title></head><body></body></html>`;
const jsonOf = (value: unknown) => JSON.stringify(value);

/** What the hint blames. */
type Cause = 'key' | 'proxy' | 'network' | 'other';

const blames: Record<Cause, RegExp> = {
  key: /^Check the API key, which the service refuses\./,
  proxy: /^A proxy, a firewall or a login page may have responded instead of the service/,
  network: /whether this machine can reach it/,
  other: /^/,
};

interface OtherResponse {
  name: string;
  status: number;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  code: ArticlesErrorCode;
  /** The end of the message, after the URL. */
  reason: string;
  blamed?: Cause;
}

const responses: OtherResponse[] = [
  {
    name: 'the login page of a proxy',
    ...{ status: 401, headers: html, body: pageOf('Sign in') },
    ...{ code: 'unauthorized', blamed: 'proxy' },
    reason: 'responded 401 with text/html; its title is "Sign in"',
  },
  {
    name: 'a refusal without a body',
    ...{ status: 403, code: 'unauthorized', blamed: 'proxy', reason: 'responded 403' },
  },
  {
    name: 'a page of another website',
    ...{ status: 404, headers: html, body: pageOf('Not found') },
    code: 'not-found',
    reason: 'responded 404 with text/html; its title is "Not found"',
  },
  {
    name: 'the sign-in of a network',
    ...{ status: 511, headers: html, body: pageOf('Hotel Wi-Fi') },
    ...{ code: 'server-error', blamed: 'proxy' },
    reason: 'responded 511 with text/html; its title is "Hotel Wi-Fi"',
  },
  {
    name: 'a captive portal',
    ...{ status: 200, headers: html, body: pageOf('Welcome to the airport') },
    code: 'not-json',
    reason: 'responded 200 with text/html instead of JSON; its title is "Welcome to the airport"',
  },
  {
    name: 'a page of Cloudflare for a host that is down',
    ...{ status: 521, headers: html, body: pageOf('example.com | 521: Web server is down') },
    code: 'server-error',
    reason: 'responded 521 with text/html; its title is "example.com | 521: Web server is down"',
  },
  {
    // Recorded from Strapi 5.54.
    name: 'an error of Strapi',
    ...{ status: 403, headers: json },
    body: jsonOf({
      data: null,
      error: { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} },
    }),
    ...{ code: 'unauthorized', blamed: 'key', reason: 'responded 403: Forbidden' },
  },
  {
    name: 'an error of Ghost',
    ...{ status: 401, headers: json },
    body: jsonOf({ errors: [{ message: 'Unknown Content API Key', context: null }] }),
    ...{ code: 'unauthorized', blamed: 'key', reason: 'responded 401: Unknown Content API Key' },
  },
  {
    // Recorded from WordPress 6.1 of Debian 12.
    name: 'an error of WordPress',
    ...{ status: 400, headers: json },
    body: jsonOf({
      code: 'rest_invalid_param',
      message: 'Invalid parameter(s): per_page',
      data: {
        status: 400,
        params: { per_page: 'per_page must be between 1 (inclusive) and 100 (inclusive)' },
      },
    }),
    ...{ code: 'refused', reason: 'responded 400: Invalid parameter(s): per_page' },
  },
  {
    name: 'JSON without a known reason',
    ...{ status: 500, headers: json, body: jsonOf({ status: 'down', code: 7 }) },
    code: 'server-error',
    reason: 'responded 500 with application/json; it begins "{"status":"down","code":7}"',
  },
  {
    name: 'an error with the status 200',
    ...{ status: 200, headers: json, body: jsonOf({ error: { message: 'Quota exceeded' } }) },
    code: 'unexpected-shape',
    reason: 'responded without a recognisable list of articles (fields: error): Quota exceeded',
  },
  {
    name: 'a page with the type of JSON',
    ...{ status: 200, headers: json, body: pageOf('Log in') },
    code: 'bad-json',
    reason: 'the response is not valid JSON (114 characters); its title is "Log in"',
  },
  {
    name: 'bytes that are not gzip',
    ...{ status: 200, headers: { ...json, 'content-encoding': 'gzip' }, body: 'not compressed' },
    code: 'network',
    reason: 'responded 200, but its body could not be read to the end (Z_DATA_ERROR)',
  },
  {
    name: 'a text that contains the key',
    ...{ status: 500, headers: plain, body: `${'x'.repeat(90)} ${apiKey} \u001b[31m` },
    code: 'server-error',
    reason: `responded 500 with text/plain; it begins "${'x'.repeat(90)} [the API …"`,
  },
];

/** Requests the listing of a server that sends the same response to all requests. */
async function failureOf({ status, headers = {}, body = '' }: Omit<OtherResponse, 'name'>) {
  const { url } = await temporaryServer((_, response) => {
    response.writeHead(status, headers).end(body);
  });
  const client = createArticlesClient(
    { baseUrl: url, apiKey, retries: 0 },
    { clock: createClock() },
  );
  const error = await client.listPage().then(
    () => expect.fail('no error'),
    (reason) => reason,
  );
  return { error, url };
}

it.each(responses)('$name is an error that says so', async (response) => {
  const { status, code, reason, blamed = 'other' } = response;
  const { error, url } = await failureOf(response);
  expect(error).toMatchObject({ code, status, url: url + listing });
  expect(error.message).toBe(`GET ${url}${listing}: ${reason}.`);
  expect(error.hint).toMatch(blames[blamed]);
  for (const cause of ['key', 'proxy', 'network'] as const) {
    if (cause !== blamed) expect(error.hint).not.toMatch(blames[cause]);
  }
});

it('without a response, the network is the cause', async () => {
  const { url } = await temporaryServer((request) => request.socket.destroy());
  const client = createArticlesClient({ baseUrl: url, apiKey, retries: 0 });
  await expect(client.listPage()).rejects.toMatchObject({
    code: 'network',
    status: undefined,
    hint: expect.stringMatching(blames.network),
  });
});
