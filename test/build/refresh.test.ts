import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import type { FixtureService } from '../../fixtures/service.ts';
import { astroVersions } from '../helpers/runs.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { temporaryService } from '../helpers/use-service.ts';

const sites = useSites();
let service: FixtureService;
let site: Site;

beforeEach(async () => {
  service = await temporaryService({ articles: makeArticles(3) });
});

async function start(
  options = '',
  { astro = 7, args = [] }: { astro?: 6 | 7; args?: string[] } = {},
) {
  site = await sites.create({ astro, options: `{ retries: 0, ${options} }` });
  return site.dev(service.env, args);
}

async function titles({ url }: DevServer): Promise<unknown[]> {
  const entries: { data: { title: string } }[] = await (await fetch(`${url}/entries.json`)).json();
  return entries.map(({ data }) => data.title);
}

function post({ url }: DevServer, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/_articles/refresh`, { method: 'POST', ...init });
}

describe('POST /_articles/refresh', () => {
  test.each(astroVersions)('loads the articles again on Astro %i', async (astro) => {
    const dev = await start('', { astro });
    service.change(2, { title: 'Changed' });
    expect(await titles(dev)).not.toContain('Changed');
    const response = await post(dev, { body: 'not json' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true });
    // Vite may see the change of Astro's store a moment later.
    await expect.poll(() => titles(dev), { timeout: 10_000 }).toContain('Changed');
  });

  test('shares one load between requests, and another one between those that arrive meanwhile', async () => {
    const dev = await start();
    service.clearRequests();
    service.fail({ on: 'list', fault: { kind: 'delay', ms: 500 } });
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(dev)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(service.count('list')).toBe(2);
  });

  test('needs a secret for requests from other machines, and always if there is one', async () => {
    const addresses = Object.values(networkInterfaces()).flat();
    const outside = addresses.find((each) => each && !each.internal && each.family === 'IPv4');
    if (!outside) throw new Error('This test needs a network address besides loopback.');
    const args = ['--host', '0.0.0.0'];
    const open = await start('', { args });
    const { port } = new URL(open.url);
    const response = await post({ ...open, url: `http://${outside.address}:${port}` });
    expect(response.status).toBe(403);
    expect((await response.json()).error).toContain('ARTICLES_REFRESH_SECRET');
    expect((await post(open)).status).toBe(200);
    await open.stop();

    const secret = 'a-secret-of-the-tests';
    const dev = await site.dev({ ...service.env, ARTICLES_REFRESH_SECRET: secret }, args);
    expect((await post(dev)).status).toBe(403);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await post(dev, { headers })).status).toBe(200);
    expect(dev.output()).not.toContain(secret);
  });
});

describe('polling', () => {
  const loads = (dev: DevServer) => dev.output().match(/\d+ articles shown[:,]/g)?.length ?? 0;
  /** Waits for a number of requests of the listing. */
  const looks = (count: number) =>
    expect.poll(() => service.count('list'), { timeout: 20_000 }).toBeGreaterThanOrEqual(count);

  test('loads in the interval, and prints a line only when something changed', async () => {
    // It cannot be used, which is printed once.
    service.change(2, { title: 7 });
    const dev = await start('refresh: 500');
    await looks(4);
    const before = loads(dev);
    expect(before).toBeGreaterThan(0);
    await looks(service.count('list') + 4);
    expect(loads(dev)).toBe(before);
    service.change(1, { title: 'Polled' });
    await expect.poll(() => titles(dev), { timeout: 10_000 }).toContain('Polled');
    await looks(service.count('list') + 4);
    expect(loads(dev)).toBe(before + 1);
    const fix = service.fail({ on: 'list', times: 999, fault: { kind: 'status', status: 500 } });
    await looks(service.count('list') + 12);
    fix();
    service.change(1, { title: 'Back again' });
    await expect.poll(() => titles(dev), { timeout: 10_000 }).toContain('Back again');
    expect(dev.output().match(/because the load from the service failed/g)).toHaveLength(1);
  });

  test('sends nothing offline', async () => {
    const online = await start('refresh: 500');
    await looks(4);
    await online.stop();
    service.clearRequests();
    const dev = await site.dev({ ...service.env, ARTICLES_OFFLINE: '1' });
    await expect.poll(() => dev.output(), { timeout: 20_000 }).toContain('Offline: ');
    await setTimeout(2_000);
    expect(service.requests).toEqual([]);
  });
});
