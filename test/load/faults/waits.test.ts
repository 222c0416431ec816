import { expect, it } from 'vitest';
import { createArticlesClient } from '../../../src/client/index.ts';
import { createClock } from '../../helpers/clock.ts';
import { temporaryServer } from '../../helpers/temporary.ts';
import { speedUp } from '../../helpers/time.ts';
import { always } from '../../helpers/use-site.ts';
import { key, status, useFaultSite } from './harness.ts';

const site = useFaultSite();
const throttled = status(429, { headers: { 'retry-after': '60' } });

it.each([{ kind: 'stall' }, { kind: 'never' }, status(500), throttled] as const)(
  'a call that is aborted ends at once, during any fault: %j',
  async (fault) => {
    site.strike('any', fault);
    const patient = { timeout: 3_600_000 };
    const client = createArticlesClient({ baseUrl: site.service.url, apiKey: key, ...patient });
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 30);
    await expect(client.listPage({}, { signal: abort.signal })).rejects.toThrow('enough');
    const requests = site.service.count();
    await expect.poll(() => site.service.activeRequests).toBe(0);
    expect(site.service.count()).toBe(requests);
  },
);

it('a load that fails ends its other requests', async () => {
  // Time limits are far away.
  speedUp(1);
  site.service.change(5, { content: 'changed since' });
  site.strike((request) => request.id === '6', { kind: 'never' });
  // The failure of one article fails the load, because the listing fails by then, too.
  site.strike((request) => request.id === '5', status(403));
  site.strike('list', status(401), always, 1);
  await site.loadFails();
  await expect.poll(() => site.service.activeRequests).toBe(0);
});

it('an article that never responds is a problem of that article, however long it may take', async () => {
  speedUp(400);
  site.strike((request) => request.id === '6', { kind: 'never' });
  const { failure, warnings } = await site.load({ failOn: ['service'], timeout: 800_000 });
  expect(failure).toBeUndefined();
  expect(warnings).toEqual([
    expect.stringMatching(/article "6": .*no complete response within 800000 ms/),
  ]);
});

it('reports the status of an error response whose body never ends', async () => {
  const { url } = await temporaryServer((_, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).write('{"detail": "No');
  });
  const client = createArticlesClient({ baseUrl: url, apiKey: key }, { clock: createClock() });
  const error = await client.listPage().catch((reason) => reason);
  expect(error).toMatchObject({ code: 'unauthorized', status: 401, attempts: 1 });
});
