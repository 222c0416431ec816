import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { deployHook, purge, type WebhookHandler, webhook } from '../../../src/webhook/index.ts';
import { temporaryFolder, temporaryServer } from '../../helpers/temporary.ts';
import { plain, run } from './cli.ts';

const secret = 'a-secret-of-these-tests';

/** Serves a handler over HTTP, as a deployed site does. */
async function serve(handler: WebhookHandler): Promise<string> {
  const { url } = await temporaryServer(async (request, response) => {
    const result = await handler(await toRequest(request));
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(await result.text());
  });
  return `${url}/api/purge`;
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const { method = '', url = '' } = request;
  const headers = request.headers as Record<string, string>;
  const body = await text(request);
  return new Request(`http://127.0.0.1${url}`, { method, headers, body });
}

/** Starts a site with live pages, and collects the tags that are purged. */
async function site(given: string | false = secret) {
  const purged: string[][] = [];
  const cache = { invalidate: async ({ tags }: { tags: string[] }) => void purged.push(tags) };
  const url = await serve(webhook({ secret: given, actions: [purge({ cache })] }));
  return { url, purged };
}

async function runPurge(args: string[], env: Record<string, string> = {}) {
  const cwd = await temporaryFolder();
  const ran = await run(['purge', ...args], {
    cwd,
    env: { ARTICLES_WEBHOOK_SECRET: secret, ...env },
  });
  expect(ran.out + ran.err).not.toContain(secret);
  return { ...ran, out: plain(ran.out), err: plain(ran.err) };
}

test('purges the pages of the given articles, and lists', async () => {
  const { url, purged } = await site();
  expect(await runPurge(['7', 'é, a/b', '--url', url])).toEqual({
    status: 0,
    out: 'http://127.0.0.1:PORT/api/purge responded 200.\npurge: done\n',
    err: '',
  });
  expect(purged[0]).toEqual(['articles:7', 'articles:%C3%A9%2C%20a%2Fb', 'articles/list']);
});

test('purges all pages without ids, with the address of the environment', async () => {
  const { url, purged } = await site();
  expect(await runPurge([], { ARTICLES_WEBHOOK_URL: url })).toMatchObject({ status: 0 });
  expect(purged[0]).toEqual(['articles']);
});

test.each([
  ['99', 99, ['articles:n99', 'articles/list']],
  ['more than 100', 101, ['articles']],
  ['more than a body can contain', 60_000, ['articles']],
])('purges all pages instead of those of %s ids, if needed', async (_, count, last) => {
  const { url, purged } = await site();
  const ids = Array.from({ length: count }, (_, index) => `n${index + 1}`);
  expect(await runPurge([...ids, '--url', url])).toMatchObject({ status: 0 });
  expect(purged.flat().slice(-last.length)).toEqual(last);
});

test('takes ids that begin with a hyphen', async () => {
  const { url, purged } = await site();
  expect(await runPurge(['--url', url, '--', '-5'])).toMatchObject({ status: 0 });
  expect(purged[0]).toEqual(['articles:-5', 'articles/list']);
});

test('signs with a signing secret, too', async () => {
  const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const { url, purged } = await site(signing);
  const ran = await runPurge(['7', '--url', url], { ARTICLES_WEBHOOK_SECRET: signing });
  expect(ran).toMatchObject({ status: 0 });
  expect(purged).not.toEqual([]);
});

test.each([false, true])('fails for an action that failed, also with `ok: %j`', async (ok) => {
  const purge = { action: 'purge', ok: true, attempts: 1 };
  const hook = { action: 'deployHook', ok: false, attempts: 3, error: 'There was no response.' };
  const url = await serve(async () => Response.json({ ok, actions: [purge, hook] }));
  expect(await runPurge(['7', '--url', url])).toMatchObject({
    status: 1,
    out: expect.stringContaining(
      'purge: done\ndeployHook: failed (attempts: 3). There was no response.',
    ),
  });
});

test('says that the purge follows when the host continues after the response', async () => {
  const url = await serve(async () => Response.json({ ok: true, actions: [] }, { status: 202 }));
  expect(await runPurge(['--url', url])).toMatchObject({
    status: 0,
    out: expect.stringContaining('Its actions follow within seconds.'),
  });
});

test.each([
  [
    'another secret',
    webhook({ secret: 'another-secret-of-tests', actions: [purge()] }),
    'refused the request (401): Its webhook-signature is wrong.',
    'ARTICLES_WEBHOOK_SECRET has to be the same here and on the host.',
  ],
  [
    'a webhook that only builds',
    async () => {
      const actions = [{ action: deployHook('https://a.example').name, ok: true, attempts: 1 }];
      return Response.json({ ok: true, actions });
    },
    'has no purge(), so it purged nothing.',
    'Add purge() to the `actions`',
  ],
  [
    'a page that does not exist',
    async () => new Response('<h1>Not found</h1>', { status: 404 }),
    'responded 404, which is not a response of webhook().',
    'Check the path',
  ],
  [
    'a response that is too large',
    async () => {
      const actions = [{ action: 'purge', ok: true, attempts: 1 }];
      return Response.json({ ok: true, actions, text: 'x'.repeat(1_000_000) });
    },
    'responded 200, which is not a response of webhook().',
    'Check the path',
  ],
  [
    'a redirect',
    async () => Response.redirect('https://www.example.com/api/purge/', 308),
    'responded 308, which is not a response of webhook().',
    'It redirects to "https://www.example.com/api/purge/"',
  ],
] satisfies [string, WebhookHandler, string, string][])(
  '%s is an error that says what to do',
  async (_, handler, problem, hint) => {
    const { status, err } = await runPurge(['7', '--url', await serve(handler)]);
    expect(status).toBe(1);
    expect(err).toContain(problem);
    expect(err).toContain(hint);
  },
);

test('an address with a password is an error that does not contain it', async () => {
  const address = `https://name:password-4711@www.example.com/api/purge?secret=${secret}`;
  const { status, err } = await runPurge(['7'], { ARTICLES_WEBHOOK_URL: address });
  expect(status).toBe(2);
  expect(err).toContain('contains a user name or password.');
  expect(err).not.toContain('4711');
});

test('a site that does not respond is an error, without the query of its address', async () => {
  const { status, err } = await runPurge(['--url', 'http://127.0.0.1:9/api?secret=hidden']);
  expect(status).toBe(1);
  expect(err).toContain('There was no response: the connection to 127.0.0.1:PORT failed');
  expect(err).not.toContain('hidden');
});
