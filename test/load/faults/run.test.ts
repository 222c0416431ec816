import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';
import { filesBelow } from '../../helpers/mirror-folder.ts';
import { key, status, useFaultSite } from './harness.ts';

const site = useFaultSite();

it.each([
  { kind: 'stall' },
  { kind: 'never' },
  status(500),
  status(429, { headers: { 'retry-after': '60' } }),
] as const)('a call that is aborted ends at once, during any fault: %j', async (fault) => {
  site.strike('any', fault);
  const patient = { timeout: 3_600_000 };
  const client = createArticlesClient({ baseUrl: site.service.url, apiKey: key, ...patient });
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('enough')), 30);
  await expect(client.survey({ signal: abort.signal })).rejects.toThrow('enough');
  const requests = site.service.count();
  await expect.poll(() => site.service.activeRequests).toBe(0);
  expect(site.service.count()).toBe(requests);
});

it('the key is in no message, even if a response repeats it', async () => {
  const echo = JSON.stringify({ detail: `bad key ${key}` });
  site.strike('list', status(400, { body: echo }), 1);
  expect((await site.loadFails()).message).toContain('bad key [the API key]');

  // A fetch whose errors contain the whole request, like those of some libraries.
  const telling = async (_: string, init: RequestInit) => {
    throw Object.assign(new Error(`failed: ${JSON.stringify(init)}`), { config: init });
  };
  const failure = await site.loadFails({ fetch: telling });
  expect(failure).toMatchObject({ code: 'network' });
  for (let error: unknown = failure; error instanceof Error; error = error.cause) {
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(key);
  }
  for (const file of await filesBelow(site.root)) {
    expect(await readFile(join(site.root, file), 'latin1')).not.toContain(key);
  }
});
