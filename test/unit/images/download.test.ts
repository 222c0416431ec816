import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { downloadImages, type ImagesOptions } from '../../../src/images/download.ts';
import { verifyImage } from '../../../src/images/verify.ts';
import { type Mirror, openMirror } from '../../../src/mirror/mirror.ts';
import { imageKinds } from '../../../src/shared/image-kinds.ts';
import { unsigned } from '../../../src/shared/image-url.ts';
import { createClock, type TestClock } from '../../helpers/clock.ts';
import { fixtureCover, type ImageHost, startImageHost } from '../../helpers/image-host.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { pngOf } from './image-bytes.ts';

const totalTimeout = 600_000;
const day = 86_400_000;
const maxBytes = 2_000_000;

let host: ImageHost;
let parent: string;
beforeAll(async () => {
  host = await startImageHost();
  // Loads sharp first, because that takes as long as the time limit of an attempt in these tests.
  await Promise.all([import('sharp'), import('astro/assets/utils')]);
});
afterAll(() => host.close());
afterEach(() => void vi.unstubAllEnvs());
beforeEach(async () => {
  parent = await temporaryFolder();
  host.requests.length = 0;
  host.responses.clear();
});

/** A clock without pauses and with short time limits. */
function clockAt(ahead: number, patience = 10_000): TestClock {
  return createClock({ totalTimeout, patience, date: () => Date.now() + ahead });
}

interface LoadOptions extends Partial<Omit<ImagesOptions, 'mirror'>> {
  changed?: boolean;
  isCurrent?: boolean;
  writeImage?: Mirror['writeImage'];
}

/** Downloads images and commits them, as a load does, and counts the requests to the host. */
async function load(urls: readonly string[], options: LoadOptions = {}) {
  const { changed = false, isCurrent = true, writeImage, ...changes } = options;
  const mirror = openMirror({ parent, collection: 'articles', baseUrl: host.url });
  if (writeImage) mirror.writeImage = writeImage;
  const before = host.requests.length;
  const result = await downloadImages(
    new Map(urls.map((url) => [unsigned(url), { url, changed, isCurrent }])),
    {
      mirror,
      baseUrl: new URL(host.url),
      maxBytes,
      kinds: imageKinds,
      allowedHosts: [],
      clock: clockAt(0),
      deadline: totalTimeout,
      signal: new AbortController().signal,
      ...changes,
    },
  );
  const index = { ...mirror.index, images: result.images, syncedAt: 1 };
  mirror.commit(index, new Map());
  mirror.close();
  const [first] = urls;
  const image = first === undefined ? undefined : result.images.get(first.split('?')[0] ?? '');
  const [problem] = result.problems.values();
  return { ...result, mirror, image, problem, requests: host.requests.length - before };
}

const at = (path: string) => `${host.url}${path}`;

/** Serves an image with headers, and 304 to a request with the right validator. */
async function serve(path: string, headers: Record<string, string> = {}): Promise<void> {
  const bytes = await pngOf(1);
  host.responses.set(path, (request, response) => {
    const isCurrent = headers.etag && request.headers['if-none-match'] === headers.etag;
    response.writeHead(isCurrent ? 304 : 200, headers).end(isCurrent ? undefined : bytes);
  });
}

describe('an image without an ETag, with a date and a length', () => {
  const dated = { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const stale = { 'cache-control': 'max-age=0' };

  it.each([
    ['responds to the date with 304', true],
    ['ignores the date', false],
  ])('is not transferred again while it is the same: %s', async (_, isHeeded) => {
    let bytes = await pngOf(1);
    const sent: number[] = [];
    let date = dated['last-modified'];
    host.responses.set('/a.png', (request, response) => {
      const isSame = isHeeded && request.headers['if-modified-since'] === date;
      const headers = { 'last-modified': date, 'content-length': bytes.byteLength, ...stale };
      if (isSame) response.writeHead(304, headers).end();
      else response.writeHead(200, headers).end(bytes);
      sent.push(isSame ? 304 : 200);
    });
    const first = await load([at('/a.png')]);
    const second = await load([at('/a.png')]);
    expect(second.problems).toEqual(new Map());
    expect(second.image?.file).toBe(first.image?.file);
    date = 'Fri, 02 Jan 2026 00:00:00 GMT';
    await load([at('/a.png')]);
    expect(sent).toEqual([200, isHeeded ? 304 : 200, 200]);
    if (isHeeded) return;
    bytes = await fixtureCover('tides.jpg');
    const ofAnotherLength = await load([at('/a.png')]);
    expect(ofAnotherLength.image?.file).not.toBe(first.image?.file);
  });
});

describe('an image', () => {
  it('is in the mirror under the extension of its format', async () => {
    host.responses.set('/a.txt', await fixtureCover('tides.jpg'));
    const { image, problems, mirror, requests } = await load([at('/a.txt')]);
    expect(problems).toEqual(new Map());
    const file = expect.stringMatching(/^[0-9a-f]{32}\.jpg$/);
    expect(image).toMatchObject({ url: at('/a.txt'), file });
    const stored = await readFile(join(mirror.imageFolder, image?.file ?? ''));
    expect(stored).toEqual(await fixtureCover('tides.jpg'));
    expect(requests).toBe(1);
  });

  const status = (code: number) => (response: ServerResponse) => response.writeHead(code).end();

  it.each<[string, (response: ServerResponse) => unknown, number, RegExp, RegExp]>([
    [
      'a web page',
      (response) => response.end('<!doctype html><p>x'),
      2,
      /not a JPEG/,
      /^Correct it/,
    ],
    ['an error', status(503), 3, /responded 503$/, /^Try again/],
    ['no access', status(403), 1, /responded 403$/, /option `fetch`/],
    ['a redirect to nowhere', status(302), 1, /^redirects without a usable/, /^Correct it/],
    ['a 304 that was not requested', status(304), 2, /responded 304$/, /^Correct it/],
    ['no response', () => undefined, 3, /no complete response within 30000 ms$/, /^Try again/],
    [
      'too many bytes',
      (response) => response.end(Buffer.alloc(maxBytes + 1)),
      1,
      /larger than \d+ bytes$/,
      /^Raise `images\.maxBytes`/,
    ],
  ])('that gets %s is a problem, and no other is', async (_, respond, count, reason, what) => {
    host.responses.set('/__proto__', (__, response) => void respond(response));
    await serve('/good.png');
    const { images, problems, requests } = await load(
      [at('/__proto__?signature=secret'), at('/good.png')],
      { clock: clockAt(0, reason.source.includes('30000 ms') ? 300 : undefined) },
    );
    expect([...images.keys()]).toEqual([at('/good.png')]);
    const remedy = expect.stringMatching(what);
    const problem = { reason: expect.stringMatching(reason), remedy, kept: false };
    expect([...problems]).toEqual([[at('/__proto__'), problem]]);
    expect(requests).toBe(count + 1);
  });

  it('that another host does not give out is corrected in the service', async () => {
    const other = await startImageHost();
    other.responses.set('/a.png', (_, response) => response.writeHead(403).end());
    const allowedHosts = [`127.0.0.1:${other.port}`];
    const { problem } = await load([`${other.url}/a.png`], { allowedHosts });
    const reason = 'its server responded 403';
    expect(problem).toEqual({ reason, remedy: 'Correct it in the service.', kept: false });
    await other.close();
  });

  const unknown = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  const expired = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
  it.each<[string, string | undefined, Error, RegExp]>([
    ['a name that is unknown', undefined, unknown, /^Try again later\. If it persists, correct/],
    [
      'a proxy that is not used',
      'http://proxy.example',
      unknown,
      /^HTTPS_PROXY names the proxy .* uses no proxy\.$/,
    ],
    ['a certificate that has expired', undefined, expired, /certificate/],
  ])('that fails because of %s has what to do about that', async (_, proxy, error, remedy) => {
    vi.stubEnv('HTTPS_PROXY', proxy);
    const lookup: LookupFunction = (__, ___, callback) => callback(error, '', 0);
    const { problem } = await load(['https://cdn.example/a.png'], { lookup });
    expect(problem?.remedy).toMatch(remedy);
    expect(problem?.remedy).not.toContain('\n');
  });

  it('may redirect to another host, also to a private one that is allowed with its port', async () => {
    const other = await startImageHost();
    other.responses.set('/b.png', await pngOf(2));
    host.responses.set('/a.png', (_, response) =>
      response.writeHead(302, { location: `${other.url}/b.png` }).end(),
    );
    const name = `127.0.0.1:${other.port}`;
    const { problem } = await load([at('/a.png')], { allowedHosts: ['127.0.0.1'] });
    const advice = `if the host is yours, add "${name}" to \`image.domains\` in astro.config`;
    const reason = `${name} is not a public address; ${advice}`;
    expect(problem).toEqual({ reason, remedy: '', kept: false });
    expect(other.requests).toEqual([]);
    const { image } = await load([at('/a.png')], { allowedHosts: [name] });
    expect(image).toBeDefined();
    await other.close();
  });
});

describe('an image of the mirror', () => {
  const stale = { 'cache-control': 'max-age=0' };

  it.each([
    ['as long as `Cache-Control` says', { 'cache-control': 'public, max-age=60' }, 60_000],
    ['by the first name and in capitals', { 'cache-control': 'MAX-AGE=60,public' }, 60_000],
    ['behind a comma', { 'cache-control': 's-maxage=0,max-age=60' }, 60_000],
    [
      'for a day with other names',
      { 'cache-control': 'x-max-age=1, max-age=, x-no-cache, no-stored' },
      day,
    ],
    ['for a day without `Cache-Control`', {}, day],
    ['for a day with an ETag alone', { etag: '"1"' }, day],
    ['for a day at most', { 'cache-control': 'max-age=2592000', etag: '"1"' }, day],
  ])('is not requested while it is fresh: %s', async (_, headers, freshness) => {
    await serve('/a.png', headers);
    const { image } = await load([at('/a.png')]);
    const before = clockAt(freshness - 30_000);
    expect(await load([at('/a.png')], { clock: before })).toMatchObject({ requests: 0, image });
    const after = clockAt(freshness + 1_000);
    expect((await load([at('/a.png')], { clock: after })).requests).toBe(1);
    // It is fresh as long again, also if it was not sent again.
    const later = clockAt(2 * freshness - 30_000);
    expect((await load([at('/a.png')], { clock: later })).requests).toBe(0);
  });

  it('is requested if a clock that was ahead has made it fresh for years', async () => {
    await serve('/a.png');
    await load([at('/a.png')], { clock: clockAt(365 * day) });
    expect((await load([at('/a.png')])).requests).toBe(1);
  });

  it.each([
    'max-age=0',
    'no-cache',
    'public, No-Store',
    'public,no-store',
    'no-cache, max-age=60',
    'no-cache="set-cookie"',
  ])('is requested in each load with `Cache-Control: %s`', async (value) => {
    await serve('/a.png', { 'cache-control': value, etag: '"1"' });
    for (let loads = 1; loads <= 2; loads++) {
      const { requests, image } = await load([at('/a.png')]);
      expect([requests, Boolean(image)]).toEqual([1, true]);
    }
    expect(host.requests.at(-1)?.headers['if-none-match']).toBe('"1"');
  });

  it.each<[string, string | undefined, string | undefined, number]>([
    ['keeps the time that it had', 'max-age=60', undefined, 60_000],
    ['keeps that it is requested in each load', 'no-cache', undefined, 0],
    ['keeps a day without any time', undefined, undefined, day],
    ['has the time that is sent', 'max-age=60', 'max-age=3600', 3_600_000],
    ['is requested in each load from then on', 'max-age=60', 'no-store', 0],
    ['loses its time for directives without one', 'max-age=60', 'public', day],
  ])('after a 304 %s', async (_, before, after, freshFor) => {
    const bytes = await pngOf(1);
    host.responses.set('/a.png', ({ headers }, response) => {
      const isCurrent = headers['if-none-match'] === '"1"';
      const cacheControl = isCurrent ? after : before;
      if (cacheControl) response.setHeader('cache-control', cacheControl);
      response.writeHead(isCurrent ? 304 : 200, { etag: '"1"' }).end(isCurrent ? '' : bytes);
    });
    await load([at('/a.png')]);
    // Two validations: the second one keeps what the first one has kept.
    for (const days of [2, 4]) {
      const clock = createClock({ totalTimeout, patience: 10_000, date: () => days * day });
      const { image, requests } = await load([at('/a.png')], { clock });
      expect(requests, `requests after ${days} days`).toBe(1);
      expect(image?.freshUntil, `after ${days} days`).toBe(days * day + freshFor);
    }
  });

  it('is requested when its article has changed, unless its URL is signed', async () => {
    await serve('/a.png');
    await load([at('/a.png')]);
    expect((await load([at('/a.png')], { changed: true })).requests).toBe(1);
    expect((await load([at('/a.png?X-Amz-Signature=1')], { changed: true })).requests).toBe(0);
  });

  it('stays in use when it could not be downloaded again', async () => {
    await serve('/a.png', stale);
    const first = await load([at('/a.png')]);
    host.responses.delete('/a.png');
    const { image, problem } = await load([at('/a.png')]);
    expect(problem).toMatchObject({ kept: true, reason: 'its server responded 404' });
    expect(image).toEqual(first.image);
  });

  it('is requested with a signature of an earlier load only if it is missing', async () => {
    const url = at('/a.png?X-Amz-Signature=1');
    const options = { changed: true, isCurrent: false };
    expect((await load([url], options)).problem).toMatchObject({ kept: false });
    await serve('/a.png', stale);
    await load([url]);
    expect(await load([url], options)).toMatchObject({ requests: 0, image: expect.anything() });
    expect((await load([at('/a.png')], options)).requests).toBe(1);
    expect((await load([url])).requests).toBe(1);
  });
});

describe('a host', () => {
  const names = Array.from({ length: 24 }, (_, index) => `/${index}.png`);

  it('gets no more requests when it stops to respond, and others get theirs', async () => {
    const other = await startImageHost();
    other.responses.set('/good.png', await pngOf(2));
    await serve('/first.png');
    for (const name of names) host.responses.set(name, () => undefined);
    const { images, problems, requests } = await load(
      [at('/first.png'), ...names.map(at), `${other.url}/good.png`],
      { clock: clockAt(0, 100), allowedHosts: [`127.0.0.1:${other.port}`] },
    );
    expect([...images.keys()]).toEqual([at('/first.png'), `${other.url}/good.png`]);
    expect(problems.size).toBe(names.length);
    expect([...problems.values()].at(-1)?.reason).toContain('no complete response within');
    expect(requests, 'requests to both hosts').toBeLessThan(2 * names.length);
    await other.close();
  });
});

describe('downloads', () => {
  it('end with the reason of an aborted load, and write nothing after it', async () => {
    const abort = new AbortController();
    const writeImage = vi.fn(() => {
      abort.abort(new Error('stop'));
      return '';
    });
    for (const path of ['/a.png', '/b.png']) await serve(path);
    const loading = load([at('/a.png'), at('/b.png')], { signal: abort.signal, writeImage });
    await expect(loading).rejects.toThrow('stop');
    // Images are verified one by one.
    await verifyImage(await pngOf(1));
    expect(writeImage).toHaveBeenCalledOnce();
  });

  it('that find no time left are problems of their images', async () => {
    await serve('/a.png');
    const { problem } = await load([at('/a.png')], { deadline: -1 });
    expect(problem?.reason).toContain('the time limit of all requests was reached');
  });
});
