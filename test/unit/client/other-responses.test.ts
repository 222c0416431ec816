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
    name: 'basic authentication of nginx',
    ...{
      status: 401,
      headers: html,
      body: '<html>\r\n<center>401 Authorization Required</center>',
    },
    ...{ code: 'unauthorized', blamed: 'proxy' },
    reason:
      'responded 401 with text/html; it begins "<html> <center>401 Authorization Required</center>"',
  },
  {
    name: 'a challenge of Cloudflare',
    ...{ status: 403, headers: html, body: pageOf('Just a moment...') },
    ...{ code: 'unauthorized', blamed: 'proxy' },
    reason: 'responded 403 with text/html; its title is "Just a moment..."',
  },
  {
    name: 'a refusal without a body',
    ...{ status: 403, code: 'unauthorized', blamed: 'proxy', reason: 'responded 403' },
  },
  {
    name: 'a refusal in plain text',
    ...{ status: 401, headers: plain, body: 'Unauthorized' },
    ...{ code: 'unauthorized', blamed: 'proxy' },
    reason: 'responded 401 with text/plain; it begins "Unauthorized"',
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
    name: 'a gateway without its service',
    ...{ status: 502, headers: plain, body: 'upstream connect error' },
    code: 'server-error',
    reason: 'responded 502 with text/plain; it begins "upstream connect error"',
  },
  {
    name: 'WordPress in maintenance',
    ...{ status: 503, headers: html, body: pageOf('Maintenance') },
    code: 'server-error',
    reason: 'responded 503 with text/html; its title is "Maintenance"',
  },
  {
    name: 'nothing',
    ...{ status: 200, headers: json, code: 'bad-json' },
    reason: 'responded 200 with an empty body',
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
    // Recorded from Directus 12.3.
    name: 'an error of Directus',
    ...{ status: 403, headers: json },
    body: jsonOf({
      errors: [
        {
          message: "You don't have permission to access this.",
          extensions: { code: 'FORBIDDEN' },
        },
      ],
    }),
    ...{ code: 'unauthorized', blamed: 'key' },
    reason: "responded 403: You don't have permission to access this",
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
    name: 'an error of Django REST framework',
    ...{ status: 403, headers: json },
    body: jsonOf({ detail: 'Authentication credentials were not provided.' }),
    ...{ code: 'unauthorized', blamed: 'key' },
    reason: 'responded 403: Authentication credentials were not provided',
  },
  {
    name: 'an error of Laravel',
    ...{ status: 422, headers: json },
    body: jsonOf({ message: 'The limit is too large.', errors: { limit: ['too large'] } }),
    ...{ code: 'refused', reason: 'responded 422: The limit is too large' },
  },
  {
    name: 'an error as text of JSON',
    ...{ status: 500, headers: plain, body: jsonOf({ error: 'Internal' }) },
    ...{ code: 'server-error', reason: 'responded 500: Internal' },
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
    name: 'XML',
    ...{ status: 200, headers: { 'content-type': 'application/xml' } },
    body: '<?xml version="1.0"?>\n<articles/>',
    code: 'not-json',
    reason:
      'responded 200 with application/xml instead of JSON; it begins "<?xml version="1.0"?> <articles/>"',
  },
  {
    name: 'plain text',
    ...{ status: 200, headers: plain, body: 'OK', code: 'not-json' },
    reason: 'responded 200 with text/plain instead of JSON; it begins "OK"',
  },
  {
    name: 'a page with the type of JSON',
    ...{ status: 200, headers: json, body: pageOf('Log in') },
    code: 'bad-json',
    reason: 'the response is not valid JSON (114 characters); its title is "Log in"',
  },
  {
    name: 'JSON that is cut off',
    ...{ status: 200, headers: json, body: '{"results":[{"id":1' },
    code: 'bad-json',
    reason: 'the response is not valid JSON (19 characters); it begins "{"results":[{"id":1"',
  },
  {
    name: 'bytes that are not gzip',
    ...{ status: 200, headers: { ...json, 'content-encoding': 'gzip' }, body: 'not compressed' },
    code: 'network',
    reason: 'responded 200, but its body could not be read to the end (Z_DATA_ERROR)',
  },
  {
    name: 'a redirect to the login page of another host',
    ...{ status: 302, headers: { location: 'https://login.example.com/?next=x' } },
    code: 'redirect',
    reason: 'redirects from <origin> to https://login.example.com, which is another origin',
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
  const shown = reason.replace('<origin>', url);
  expect(error).toMatchObject({ code, status, url: url + listing });
  expect(error.message).toBe(`GET ${url}${listing}: ${shown}.`);
  expect(error.hint).toMatch(blames[blamed]);
  for (const cause of ['key', 'proxy', 'network'] as const) {
    if (cause !== blamed) expect(error.hint).not.toMatch(blames[cause]);
  }
});

it('a login page of the service itself is named by its own URL', async () => {
  const { url } = await temporaryServer((request, response) => {
    if (request.url?.startsWith('/login')) response.writeHead(200, html).end(pageOf('Log in'));
    else response.writeHead(302, { location: '/login?next=articles' }).end();
  });
  const client = createArticlesClient({ baseUrl: url, apiKey, retries: 0 });
  await expect(client.listPage()).rejects.toMatchObject({
    code: 'not-json',
    url: `${url}/login?next=articles`,
    message: expect.stringContaining('its title is "Log in"'),
  });
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
