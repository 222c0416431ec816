import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Fetch } from '../../../src/http/send.ts';
import { createHostRequests, type HostRequestsOptions } from '../../../src/images/host-requests.ts';
import { imageKinds } from '../../../src/shared/image-kinds.ts';
import { createClock } from '../../helpers/clock.ts';
import { type ImageHost, startImageHost } from '../../helpers/image-host.ts';

const bytes = Buffer.from('an image');

/** The host of the service. */
let host: ImageHost;
beforeEach(async () => {
  host = await startHost();
});

async function startHost(): Promise<ImageHost> {
  const started = await startImageHost();
  onTestFinished(started.close);
  return started;
}

const at = (path: string) => `${host.url}${path}`;

/** Returns a function that requests an image, and returns its text. */
function useRequests(options: Partial<HostRequestsOptions> = {}) {
  const request = createHostRequests({
    ...{ baseUrl: new URL(host.url), allowedHosts: [], kinds: imageKinds },
    ...{ clock: createClock(), deadline: 600_000, signal: new AbortController().signal },
    ...options,
  });
  const read = (body: Uint8Array) => new TextDecoder().decode(body);
  return (url: string) => request({ url: new URL(url), maxBytes: 99, read });
}

it.each([
  [imageKinds, 'image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8'],
  [['png'] as const, 'image/png,image/*;q=0.8'],
])('requests an image without the API key, and without AVIF of the kinds %j', async (...row) => {
  const [kinds, accept] = row;
  host.responses.set('/a.txt', bytes);
  expect(await useRequests({ kinds })(at('/a.txt'))).toBe('an image');
  const headers = host.requests[0]?.headers ?? {};
  expect(headers).toMatchObject({
    'accept-encoding': 'identity',
    'user-agent': expect.stringContaining('astro-articles/'),
    accept,
  });
  expect(Object.keys(headers)).not.toContain('x-project-api-key');
});

it('quotes nothing of the response of a host', async () => {
  host.responses.set('/a.png', (_, response) => response.writeHead(404).end('a page of the host'));
  const error: Error = await useRequests()(at('/a.png')).then(String, (reason) => reason);
  expect(error.message).toContain('404');
  expect(error.message).not.toContain('a page');
});

describe('an image on the origin of the service', () => {
  /** A `fetch` of a site that adds what the service requires, and the URLs that it received. */
  function siteFetch() {
    const urls: string[] = [];
    const fetch: Fetch = (url, init) => {
      urls.push(url);
      const headers = new Headers(init.headers);
      expect([...headers.keys()]).not.toContain('x-project-api-key');
      headers.set('authorization', 'Basic eDp5');
      return globalThis.fetch(url, { ...init, headers });
    };
    return { fetch, urls };
  }

  it('is requested by the `fetch` of the site, and no other image is', async () => {
    const other = await startHost();
    other.responses.set('/c.png', bytes);
    host.responses.set('/a.png', ({ headers }, response) =>
      response.writeHead(headers.authorization === 'Basic eDp5' ? 200 : 401).end(bytes),
    );
    const allowedHosts = [`127.0.0.1:${other.port}`];
    const { fetch, urls } = siteFetch();
    const request = useRequests({ fetch, allowedHosts });
    expect(await request(at('/a.png'))).toBe('an image');
    expect(await request(`${other.url}/c.png`)).toBe('an image');
    expect(urls).toEqual([at('/a.png')]);
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
    await expect(useRequests()(at('/a.png'))).rejects.toMatchObject({ status: 401 });
  });

  it('is checked after a redirect to another origin, and requested with `fetch` after one to it', async () => {
    const other = await startHost();
    const redirect =
      (location: string): RequestListener =>
      (_, response) =>
        response.writeHead(302, { location }).end();
    host.responses.set('/out.png', redirect(`${other.url}/inside.png`));
    host.responses.set('/a.png', bytes);
    other.responses.set('/back.png', redirect(at('/a.png')));
    const { fetch, urls } = siteFetch();
    const refused = useRequests({ fetch })(at('/out.png'));
    await expect(refused).rejects.toThrow('is not a public address');
    expect(other.requests).toEqual([]);
    expect(urls).toEqual([at('/out.png')]);
    const allowedHosts = [`127.0.0.1:${other.port}`];
    const request = useRequests({ fetch, allowedHosts });
    expect(await request(`${other.url}/back.png`)).toBe('an image');
    expect(urls.at(-1)).toBe(at('/a.png'));
  });
});

describe('a host', () => {
  it('gets six requests at a time, shared with other hosts, and a pause for `Retry-After`', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `/${index}.png`);
    const open = { now: 0, most: 0, done: 0 };
    const six = Promise.withResolvers<void>();
    for (const name of names) {
      host.responses.set(name, async (_, response) => {
        open.now += 1;
        open.most = Math.max(open.most, open.now);
        if (open.now === 6) six.resolve();
        await six.promise;
        // A seventh request would arrive meanwhile.
        await sleep(20);
        open.now -= 1;
        open.done += 1;
        if (open.done === 12) response.writeHead(429, { 'retry-after': '7' }).end();
        else response.end(bytes);
      });
    }
    const clock = createClock({ patience: 10_000 });
    const other = `http://localhost:${host.port}`;
    const request = useRequests({ clock, allowedHosts: [`localhost:${host.port}`] });
    const urls = [...names.map(at), ...names.map((name) => other + name)];
    expect(await Promise.all(urls.map(request))).toEqual(urls.map(() => 'an image'));
    expect(open.most).toBe(6);
    expect(clock.waits.some((wait) => wait > 6_000 && wait <= 7_700)).toBe(true);
  });
});
