import { networkInterfaces } from 'node:os';
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

async function start({ astro = 7, args = [] }: { astro?: 6 | 7; args?: string[] } = {}) {
  site = await sites.create({ astro, options: '{ retries: 0 }' });
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
    const dev = await start({ astro });
    service.change(2, { title: 'Changed' });
    expect(await titles(dev)).not.toContain('Changed');
    const response = await post(dev, { body: 'not json' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true });
    // Vite may see the change of Astro's store a moment later.
    await expect.poll(() => titles(dev), { timeout: 10_000 }).toContain('Changed');
  });

  test('needs a secret for requests from other machines, and always if there is one', async () => {
    const addresses = Object.values(networkInterfaces()).flat();
    const outside = addresses.find((each) => each && !each.internal && each.family === 'IPv4');
    if (!outside) throw new Error('This test needs a network address besides loopback.');
    const args = ['--host', '0.0.0.0'];
    const open = await start({ args });
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
