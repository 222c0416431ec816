import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { downloadImages, type ImagesOptions } from '../../../src/images/download.ts';
import { type Mirror, openMirror } from '../../../src/mirror/mirror.ts';
import { unsigned } from '../../../src/shared/image-url.ts';
import { createClock, type TestClock } from '../../helpers/clock.ts';
import { fixtureCover, type ImageHost, startImageHost } from '../../helpers/image-host.ts';
import { temporaryFolder } from '../../helpers/temporary.ts';
import { pngOf } from './image-bytes.ts';

const totalTimeout = 600_000;
const day = 86_400_000;

let host: ImageHost;
let parent: string;
beforeAll(async () => {
  host = await startImageHost();
  // Loads sharp first, because that takes as long as the time limit of an attempt in these tests.
  await Promise.all([import('undici'), import('sharp'), import('astro/assets/utils')]);
});
afterAll(() => host.close());
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

/** Downloads images and commits them, as a load does. */
async function load(urls: readonly string[], options: LoadOptions = {}) {
  const { changed = false, isCurrent = true, writeImage, ...changes } = options;
  const mirror = openMirror({ parent, collection: 'articles', source: host.url, apiKey: '' });
  if (writeImage) mirror.writeImage = writeImage;
  const result = await downloadImages(
    new Map(urls.map((url) => [unsigned(url), { url, changed, isCurrent }])),
    {
      mirror,
      baseUrl: new URL(host.url),
      maxBytes: 20_000_000,
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
  return { ...result, mirror, image, problem };
}

const at = (path: string) => `${host.url}${path}`;
const statuses: number[] = [];

/** Serves bytes with headers, and 304 to a request with the right validator. */
function serve(path: string, bytes: Buffer, headers: Record<string, string> = {}): void {
  statuses.length = 0;
  host.responses.set(path, (request, response) => {
    const isCurrent = headers.etag && request.headers['if-none-match'] === headers.etag;
    statuses.push(isCurrent ? 304 : 200);
    response.writeHead(isCurrent ? 304 : 200, headers).end(isCurrent ? undefined : bytes);
  });
}

describe('an image', () => {
  it('is in the mirror under the extension of its format, and requested without the key', async () => {
    host.responses.set('/a.txt', await fixtureCover('tides.jpg'));
    const { image, problems, mirror, requests } = await load([at('/a.txt')]);
    expect(problems).toEqual(new Map());
    expect(image).toMatchObject({
      url: at('/a.txt'),
      file: expect.stringMatching(/^[0-9a-f]{32}\.jpg$/),
    });
    expect(await readFile(join(mirror.imageFolder, image?.file ?? ''))).toEqual(
      await fixtureCover('tides.jpg'),
    );
    expect(requests).toBe(1);
    expect(host.requests[0]?.headers).toMatchObject({
      'accept-encoding': 'identity',
      'user-agent': expect.stringContaining('astro-articles/'),
      accept: expect.stringContaining('image/avif'),
    });
    expect(Object.keys(host.requests[0]?.headers ?? {})).not.toContain('x-project-api-key');
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'named %s is a problem like others',
    async (url) => {
      const { images, problem } = await load([url, '/good.png']);
      expect(problem).toMatchObject({ url, reason: 'its server responded 404', kept: false });
      expect(images.size).toBe(0);
    },
  );

  const cut = (response: ServerResponse) =>
    response.writeHead(200, { 'content-length': 1000 }).write('\xff\xd8', () => response.destroy());
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';

  it.each<[string, (response: ServerResponse) => unknown, number, RegExp]>([
    ['a web page', (response) => response.end('<!doctype html><p>x'), 2, /not a JPEG/],
    ['nothing', (response) => response.end(), 2, /not a JPEG/],
    ['half of itself', cut, 3, /connection to 127/],
    ['an error', (response) => response.writeHead(503).end(), 3, /responded 503$/],
    ['no access', (response) => response.writeHead(403).end(), 1, /responded 403$/],
    [
      'an SVG image',
      (response) => response.end('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      1,
      /SVG image.*save it as PNG/,
    ],
    [
      'a 304 that was not requested',
      (response) => response.writeHead(304).end(),
      2,
      /responded 304$/,
    ],
    ['no response', () => undefined, 3, /download took longer than 30 s$/],
    ['another protocol', (response) => response.socket?.end(upgrade), 3, /127\.0\.0\.1/],
    [
      'half a file',
      (response) => response.end(Buffer.from([0xff, 0xd8, 0xff, 0xe0])),
      2,
      /corrupt/,
    ],
  ])('that gets %s is a problem, and no other is', async (_, respond, count, reason) => {
    host.responses.set('/bad.jpg', (__, response) => void respond(response));
    host.responses.set('/good.png', await pngOf(1));
    const { images, problems, requests } = await load(
      [at('/bad.jpg?signature=secret'), at('/good.png')],
      { clock: clockAt(0, reason.source.includes('30 s') ? 1_000 : undefined) },
    );
    expect([...images.keys()]).toEqual([at('/good.png')]);
    expect([...problems]).toEqual([
      [
        at('/bad.jpg'),
        expect.objectContaining({
          url: at('/bad.jpg'),
          reason: expect.stringMatching(reason),
          kept: false,
        }),
      ],
    ]);
    expect(host.requests.filter(({ path }) => path === '/bad.jpg')).toHaveLength(count);
    expect(requests).toBe(count + 1);
  });

  it('is requested once, however many URLs name it with other signatures', async () => {
    host.responses.set('/a.png', await pngOf(1));
    const signed = (name: string) => at(`/a.png?X-Amz-Signature=${name}`);
    const { images } = await load([signed('1'), signed('2'), signed('3')]);
    expect([...images.keys()]).toEqual([at('/a.png')]);
    expect(host.requests).toHaveLength(1);
  });

  it('may be redirected to another host, which may be private if it is allowed, with its port', async () => {
    const other = await startImageHost();
    other.responses.set('/b.png', await pngOf(2));
    host.responses.set('/a.png', (_, response) =>
      response.writeHead(302, { location: `${other.url}/b.png` }).end(),
    );
    const name = `127.0.0.1:${other.port}`;
    const { problem } = await load([at('/a.png')], { allowedHosts: ['127.0.0.1'] });
    const advice = `if the host is yours, add "${name}" to \`image.domains\` in astro.config`;
    expect(problem?.reason).toBe(`${name} is not a public address; ${advice}`);
    expect(other.requests).toEqual([]);
    const { image } = await load([at('/a.png')], { allowedHosts: [name] });
    expect(image).toBeDefined();
    await other.close();
  });
});

describe('an image of the mirror', () => {
  it.each([
    ['as long as `Cache-Control` says', { 'cache-control': 'public, max-age=60' }, 60_000],
    ['for a day without `Cache-Control`', {}, day],
  ])('is not requested while it is fresh: %s', async (_, headers, freshness) => {
    serve('/a.png', await pngOf(1), headers);
    const { image } = await load([at('/a.png')]);
    const before = clockAt(freshness - 30_000);
    expect(await load([at('/a.png')], { clock: before })).toMatchObject({ requests: 0, image });
    const after = clockAt(freshness + 1_000);
    expect((await load([at('/a.png')], { clock: after })).requests).toBe(1);
  });

  it('is kept after a 304, with the file and validators it had', async () => {
    serve('/a.png', await pngOf(1), { 'cache-control': 'max-age=0', etag: '"1"' });
    const first = await load([at('/a.png')]);
    const again = await load([at('/a.png')]);
    expect(again.image).toEqual({ ...first.image, freshUntil: expect.any(Number) });
    await load([at('/a.png')]);
    expect(statuses).toEqual([200, 304, 304]);
    const date = 'Mon, 06 Jan 2025 10:00:00 GMT';
    serve('/b.png', await pngOf(2), { 'cache-control': 'max-age=0', 'last-modified': date });
    for (let loads = 0; loads < 2; loads++) await load([at('/b.png')]);
    expect(host.requests.at(-1)?.headers).toMatchObject({ 'if-modified-since': date });
  });

  it('is requested when its article has changed, unless its URL is signed', async () => {
    serve('/a.png', await pngOf(1), { etag: '"1"' });
    await load([at('/a.png')]);
    expect((await load([at('/a.png')], { changed: true })).requests).toBe(1);
    expect((await load([at('/a.png?X-Amz-Signature=1')], { changed: true })).requests).toBe(0);
    expect(statuses).toEqual([200, 304]);
  });

  it('stays in use when it could not be downloaded again', async () => {
    serve('/a.png', await pngOf(1), { 'cache-control': 'max-age=0' });
    const first = await load([at('/a.png')]);
    host.responses.delete('/a.png');
    const { image, problem } = await load([at('/a.png')]);
    expect(problem).toMatchObject({ kept: true, reason: 'its server responded 404' });
    expect(image).toEqual(first.image);
  });

  it('is requested when a clock that was ahead made it fresh for too long', async () => {
    serve('/a.png', await pngOf(1), { etag: '"1"', 'cache-control': 'max-age=9999999999' });
    await load([at('/a.png')], { clock: clockAt(365 * day) });
    expect((await load([at('/a.png')])).requests).toBe(1);
    // It is fresh for 30 days at most, by the right clock.
    expect((await load([at('/a.png')])).requests).toBe(0);
    const later = clockAt(31 * day);
    expect((await load([at('/a.png')], { clock: later })).requests).toBe(1);
  });

  it('is not kept when it exceeds `images.maxBytes` now', async () => {
    serve('/a.png', await pngOf(1), { etag: '"1"' });
    await load([at('/a.png')]);
    const { image, problem } = await load([at('/a.png')], { maxBytes: 50 });
    expect(image).toBeUndefined();
    const reason = 'the response is larger than 50 bytes (`images.maxBytes`)';
    expect(problem).toMatchObject({ reason, kept: false });
  });

  it('is not requested with a signature of an earlier load, which may have expired', async () => {
    const url = at('/a.png?X-Amz-Signature=1');
    serve('/a.png', await pngOf(1), { 'cache-control': 'max-age=0', etag: '"1"' });
    await load([url]);
    const options = { changed: true, isCurrent: false };
    expect(await load([url], options)).toMatchObject({ requests: 0, image: expect.anything() });
    expect((await load([at('/a.png')], options)).requests).toBe(1);
    expect((await load([url])).requests).toBe(1);
    expect(statuses).toEqual([200, 304, 304]);
  });

  it.each([401, 403, 404, 410])(
    'that is missing is requested with such a signature, and the problem has the status %i',
    async (status) => {
      host.responses.set('/a.png', (_, response) => response.writeHead(status).end());
      const { problem } = await load([at('/a.png?X-Amz-Signature=1')], { isCurrent: false });
      expect(problem).toMatchObject({ status, kept: false });
    },
  );
});

describe('a host', () => {
  const names = Array.from({ length: 24 }, (_, index) => `/${index}.png`);

  /** Serves all names, and counts the requests at a time. The twelfth one may get another response. */
  async function serveSlowly(refuse?: (response: ServerResponse) => unknown) {
    const bytes = await pngOf(1);
    const open = { now: 0, most: 0, done: 0 };
    for (const name of names) {
      host.responses.set(name, (_, response) => {
        open.now += 1;
        open.most = Math.max(open.most, open.now);
        setTimeout(() => {
          open.now -= 1;
          open.done += 1;
          if (refuse && open.done === 12) refuse(response);
          else response.end(bytes);
        }, 20);
      });
    }
    return open;
  }

  it('gets six requests at a time, and a pause when it sends `Retry-After`', async () => {
    const open = await serveSlowly((response) =>
      response.writeHead(429, { 'retry-after': '7' }).end(),
    );
    const clock = clockAt(0);
    const { problems } = await load(names.map(at), { clock });
    expect(problems).toEqual(new Map());
    expect(open.most).toBeLessThanOrEqual(6);
    expect(open.most).toBeGreaterThan(2);
    expect(clock.waits.some((wait) => wait > 6_000 && wait <= 7_700)).toBe(true);
  });

  it('does not delay another one', async () => {
    const other = await startImageHost();
    other.responses.set('/fast.png', await pngOf(2));
    for (const name of names) host.responses.set(name, () => undefined);
    const abort = new AbortController();
    const loading = load([...names.map(at), `${other.url}/fast.png`], {
      allowedHosts: [`127.0.0.1:${other.port}`],
      signal: abort.signal,
      writeImage: () => {
        abort.abort(new Error('the fast image is there'));
        return '';
      },
    });
    await expect(loading).rejects.toThrow('the fast image is there');
    await other.close();
  });

  it('gets no more requests after six time-outs', async () => {
    for (const name of names) host.responses.set(name, () => undefined);
    const { problems } = await load(names.map(at), { clock: clockAt(0, 300) });
    // When the sixth request times out, five others have been sent.
    expect(host.requests.length).toBeLessThanOrEqual(6 + 5);
    expect(problems.size).toBe(24);
    expect([...problems.values()].at(-1)?.reason).toContain(
      'did not respond in time 6 times in a row',
    );
  });

  it('gets its requests within the eight that are sent to all hosts', async () => {
    const open = await serveSlowly();
    const other = `http://localhost:${host.port}`;
    const { images } = await load([...names.map(at), ...names.map((name) => other + name)], {
      allowedHosts: [`localhost:${host.port}`],
    });
    expect(images.size).toBe(48);
    expect(open.most).toBe(8);
  });
});

describe('downloads', () => {
  it('end with the reason of an aborted load, and write nothing after it', async () => {
    const abort = new AbortController();
    host.responses.set('/a.png', () => abort.abort(new Error('stop')));
    host.responses.set('/b.png', await pngOf(1));
    const writeImage = vi.fn(() => '');
    const loading = load([at('/a.png'), at('/b.png')], { signal: abort.signal, writeImage });
    await expect(loading).rejects.toThrow('stop');
    expect(writeImage).not.toHaveBeenCalled();
    expect(host.requests).toHaveLength(1);
  });

  it('that find no time left are problems of their images', async () => {
    host.responses.set('/a.png', await pngOf(1));
    const { problem } = await load([at('/a.png')], { deadline: -1 });
    expect(problem?.reason).toContain('the time limit of all requests was reached');
  });
});
