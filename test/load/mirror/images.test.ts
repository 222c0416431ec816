import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, type FixtureService, startService } from '../../../fixtures/service.ts';
import { isSpecial, isSpecialLiteral } from '../../../src/images/public-address.ts';
import { cleanSvg, isSvg } from '../../../src/images/svg.ts';
import { imageFault } from '../../../src/images/verify.ts';
import type { ArticlesOptions } from '../../../src/options/options.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { unsigned } from '../../../src/shared/image-url.ts';
import { fixtureCover, type ImageHost, startImageHost } from '../../helpers/image-host.ts';
import { createHastyClock, syncOnce } from '../../helpers/sync.ts';

let service: FixtureService;
let folder: string;

beforeAll(async () => {
  service = await startService({ articles: [] });
});
afterAll(() => service.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'images-'));
  service.clearRequests();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Syncs two articles: one with the cover given, one with a good one. */
async function syncCover(cover: unknown, options: ArticlesOptions = {}) {
  const article = { title: 't', content: 'c' };
  service.replace([
    { ...article, id: 'tried', cover_image: cover },
    { ...article, id: 'good', cover_image: '/media/tides.jpg' },
  ]);
  const run = await syncOnce(folder, { baseUrl: service.url, apiKey: service.apiKey, ...options });
  const { index } = run.mirror;
  const key = index.articles[0]?.cover;
  return {
    ...run,
    image: key ? index.images.get(unsigned(key)) : undefined,
    goodOnes: index.images.size,
  };
}

describe('a cover', () => {
  it.each([
    ['tides.jpg', 'jpg'],
    ['welcome.png', 'png'],
    ['clouds.webp', 'webp'],
    ['garden.avif', 'avif'],
    ['balloon.gif', 'gif'],
  ])('rows 70 and 78: %s is kept under the extension of what it is', async (file, extension) => {
    const { image, report } = await syncCover(`/media/${file}?x=1`);
    expect(report.images).toEqual([]);
    expect(image?.file).toMatch(new RegExp(`^[0-9a-f]{32}\\.${extension}$`));
  });

  it.each([
    'media/tides.jpg',
    '//127.0.0.1:PORT/media/tides.jpg',
    { url: '/media/tides.jpg' },
    { src: '/media/tides.jpg' },
  ])('row 75: given as %j is found', async (given) => {
    const cover = JSON.parse(JSON.stringify(given).replace('PORT', String(service.port)));
    const { report, image } = await syncCover(cover);
    expect(report.images).toEqual([]);
    expect(image).toBeDefined();
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'named %s is only one that cannot be had',
    async (cover) => {
      const { report, image, goodOnes } = await syncCover(cover);
      expect(report.images).toMatchObject([{ articles: ['tried'], kept: false }]);
      expect(image).toBeUndefined();
      expect(goodOnes).toBe(1);
    },
  );

  it.each([
    ['data:image/png;base64,iVBORw0KGgo=', 'not data:'],
    ['file:///etc/passwd', 'not file:'],
    ['javascript:alert(1)', 'not javascript:'],
    ['https://user:secret@a.example/x.png', 'user name or password'],
    ['http://', 'no URL'],
  ])('%s is refused', async (cover, reason) => {
    const { report } = await syncCover(cover);
    expect(report.images[0]?.reason).toContain(reason);
    expect(JSON.stringify(report.images)).not.toContain('secret');
  });

  it.each([
    ['a web page', { kind: 'html' }],
    ['nothing', { kind: 'empty' }],
    ['half of itself', { kind: 'cut' }],
    ['an error', { kind: 'status', status: 503 }],
    ['no answer', { kind: 'never' }],
    [
      'another protocol',
      {
        kind: 'raw',
        bytes: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      },
    ],
    [
      'half of a file that says it is whole',
      { kind: 'body', body: Buffer.from([0xff, 0xd8, 0xff, 0xe0]), type: 'image/jpeg' },
    ],
  ] as [string, Fault][])(
    'rows 67, 71 and 73: that gets %s is left out, and damages no other',
    async (_, fault) => {
      const on = ({ path }: { path: string }) => path.includes('snow.jpg');
      const undo = service.fail({ on, times: Number.POSITIVE_INFINITY, fault });
      const { report, image, goodOnes } = await syncCover('/media/snow.jpg');
      undo();
      expect(report.images).toMatchObject([{ articles: ['tried'] }]);
      expect(image).toBeUndefined();
      expect(goodOnes).toBe(1);
      expect(service.requests.filter(on)).toHaveLength(3);
    },
  );

  it('rows 68 and 72: that is too large is left out', async () => {
    const { report } = await syncCover('/media/welcome.png', { images: { maxBytes: 100 } });
    expect(report.images).toHaveLength(2);
    expect(report.images[0]?.reason).toContain('`images.maxBytes`');
    const { report: pixels } = await syncCover('/media/ridges.jpg', {
      images: { maxPixels: 5_000_000 },
    });
    expect(pixels.images[0]?.reason).toContain('`images.maxPixels`');
  });

  it('ends the sync where it is told to', async () => {
    await expect(
      syncCover('/media/none.jpg', { images: { onError: 'fail' } }),
    ).rejects.toMatchObject({
      problems: [{ id: 'tried', field: 'cover_image' }],
    });
  });

  it('is asked for once, and not again while it is fresh; then only whether it changed', async () => {
    await syncCover('/media/tides.jpg');
    await syncCover('/media/tides.jpg');
    expect(service.count('media')).toBe(1);
    service.options.mediaMaxAge = 0;
    await rm(folder, { recursive: true });
    await syncCover('/media/tides.jpg');
    await syncCover('/media/tides.jpg');
    service.options.mediaMaxAge = undefined;
    expect(
      service.requests.filter(({ kind }) => kind === 'media').map(({ status }) => status),
    ).toEqual([200, 200, 304]);
  });

  it('row 66: keeps its last good file when it cannot be had any more', async () => {
    service.options.mediaMaxAge = 0;
    const { image } = await syncCover('/media/snow.jpg');
    const on = ({ path }: { path: string }) => path.includes('snow.jpg');
    const undo = service.fail({ on, times: 9, fault: { kind: 'status', status: 404 } });
    const again = await syncCover('/media/snow.jpg');
    undo();
    service.options.mediaMaxAge = undefined;
    expect(again.report.images).toMatchObject([{ kept: true }]);
    expect(again.image?.file).toBe(image?.file);
    expect(await readdir(again.mirror.imageFolder)).toContain(image?.file);
  });
});

describe('a cover on a host of its own', () => {
  let host: ImageHost;
  beforeAll(async () => {
    host = await startImageHost();
  });
  afterAll(() => host.close());
  beforeEach(() => {
    host.requests.length = 0;
  });
  const trusting = { images: { allowPrivateHosts: ['127.0.0.1'] } };

  it('row 69: that is a page and a PNG at once is kept as the PNG it is', async () => {
    const png = await fixtureCover('welcome.png');
    host.answers.set('/both.html', Buffer.concat([png, Buffer.from('<script>1</script>')]));
    const { image } = await syncCover(`${host.url}/both.html`, trusting);
    expect(image?.file).toMatch(/\.png$/);
  });

  it('row 69: that is an SVG is refused, unless it is asked for; then it can only draw', async () => {
    host.answers.set('/a.svg', Buffer.from(hostileSvg));
    const refused = await syncCover(`${host.url}/a.svg`, trusting);
    expect(refused.report.images[0]?.reason).toContain('`images.svg`');
    const { image, mirror } = await syncCover(`${host.url}/a.svg`, {
      images: { ...trusting.images, svg: true },
    });
    const text = await readFile(join(mirror.imageFolder, image?.file ?? ''), 'utf8');
    expect(text).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(text).toMatch(/(?=.*width="40")(?=.*height="20").*<rect/s);
    expect(text).not.toMatch(
      /script|onload|foreign|style|https?:(?!\/\/www\.w3\.org\/2000)|data:|animate/i,
    );
    expect(text).toContain('fill="url(#g)"');
  });

  it('row 76: that is signed anew in every answer is asked for once', async () => {
    host.answers.set('/s.jpg', await fixtureCover('tides.jpg'));
    const first = await syncCover(`${host.url}/s.jpg?X-Amz-Signature=one`, trusting);
    const second = await syncCover(`${host.url}/s.jpg?X-Amz-Signature=two`, trusting);
    expect(host.requests).toHaveLength(1);
    expect(second.image?.file).toBe(first.image?.file);
  });

  it('row 77: that was replaced together with its article is asked for even while it is fresh', async () => {
    host.answers.set('/r.jpg', await fixtureCover('tides.jpg'));
    const first = await syncCover(`${host.url}/r.jpg`, trusting);
    host.answers.set('/r.jpg', await fixtureCover('snow.jpg'));
    const same = await syncCover(`${host.url}/r.jpg`, trusting);
    expect(same.image?.file).toBe(first.image?.file);
    service.change('tried', { title: 'Edited' });
    const { mirror } = await syncOnce(folder, {
      baseUrl: service.url,
      apiKey: service.apiKey,
      ...trusting,
    });
    expect(mirror.index.images.get(`${host.url}/r.jpg`)?.file).not.toBe(first.image?.file);
    expect(host.requests).toHaveLength(2);
  });

  it('is given up with all others of a host that has left six requests unanswered', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `/silent-${index}.jpg`);
    for (const name of names) host.answers.set(name, () => undefined);
    service.replace(
      names.map((name, id) => ({ id, title: 't', content: 'c', cover_image: host.url + name })),
    );
    const { report } = await syncOnce(
      folder,
      {
        baseUrl: service.url,
        apiKey: service.apiKey,
        images: { ...trusting.images, timeout: 500, concurrency: 24 },
      },
      { clock: systemClock },
    );
    // When the sixth is given up, five others have begun.
    expect(host.requests.length).toBeLessThanOrEqual(6 + 5);
    expect(report.images).toHaveLength(24);
    expect(report.images.at(-1)?.reason).toMatch(/has not answered several times$/);
  });

  it('is not asked for by more than six requests at once, and waits when the host asks to', async () => {
    const jpeg = await fixtureCover('tides.jpg');
    let open = 0;
    let most = 0;
    let answered = 0;
    const names = Array.from({ length: 24 }, (_, index) => `/${index}.jpg`);
    for (const name of names) {
      host.answers.set(name, (_, response) => {
        open += 1;
        most = Math.max(most, open);
        setTimeout(() => {
          open -= 1;
          answered += 1;
          if (answered === 12) response.writeHead(429, { 'retry-after': '7' }).end();
          else response.end(jpeg);
        }, 30);
      });
    }
    service.replace(
      names.map((name, id) => ({ id, title: 't', content: 'c', cover_image: host.url + name })),
    );
    const clock = createHastyClock();
    const { report } = await syncOnce(
      folder,
      {
        baseUrl: service.url,
        apiKey: service.apiKey,
        images: { ...trusting.images, concurrency: 24 },
      },
      { clock },
    );
    expect(report.images).toEqual([]);
    expect(most).toBe(6);
    expect(clock.waits.some((wait) => wait > 5_000 && wait <= 7_000)).toBe(true);
  });
});

describe('an SVG', () => {
  it.each([
    ['<svg viewBox="0 0 40 20"/>', true],
    ['\uFEFF<?xml version="1.0"?>\n<!-- x --><!DOCTYPE svg>\n<svg width="1" height="1"/>', true],
    ['<html><svg/></html>', false],
    ['plain', false],
  ])('is told by its beginning: %j', (text, is) => expect(isSvg(Buffer.from(text))).toBe(is));

  it('is told in no time, however many comments come first', () => {
    expect(isSvg(Buffer.from(`${'<!--a-->'.repeat(400)}x`))).toBe(false);
    expect(isSvg(Buffer.from(`${'<!--a-->'.repeat(400)}<svg/>`))).toBe(true);
  });

  it('without a size is none that a site could show', () => {
    expect(cleanSvg(Buffer.from('<svg><rect/></svg>'))).toBeUndefined();
    expect(String(cleanSvg(Buffer.from('<svg viewBox="0 0 40 20"></svg>')))).toContain(
      'width="40"',
    );
  });
});

const hostileSvg = `<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20" onload="alert(1)">
  <script>alert(1)</script><style>rect { fill: url(https://away.example/x) }</style>
  <defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>
  <rect width="40" height="20" fill="url(#g)" stroke="url(https://away.example/y)"/>
  <use href="https://away.example/z#a"/><use xlink:href="data:image/svg+xml,x"/>
  <a href="https://away.example/"><text>x</text></a>
  <image href="https://away.example/p.png"/><foreignObject><p>x</p></foreignObject>
  <animate attributeName="href" to="javascript:1"/><set attributeName="onload" to="1"/>
</svg>`;

it.each(['tides.jpg', 'welcome.png', 'clouds.webp', 'garden.avif', 'balloon.gif'])(
  'row 71: no part of %s passes for the whole',
  async (file) => {
    const bytes = await readFile(new URL(`../../fixtures/covers/${file}`, import.meta.url));
    expect(await imageFault(bytes, 50_000_000)).toBeUndefined();
    for (const share of [0.01, 0.3, 0.7, 0.95, 0.99]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * share));
      expect((await imageFault(cut, 50_000_000))?.reason, `${share}`).toContain('damaged');
    }
  },
);

describe('addresses inside a network', () => {
  let inside: Server;
  let port: number;
  let connections = 0;

  beforeAll(async () => {
    inside = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, resolve));
    const address = inside.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterAll(() => inside.close());

  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:7f00:1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0.0.0.0',
  ])('row 74: such as %s see no connection', async (host) => {
    connections = 0;
    const { report } = await syncCover(`http://${host}:${port}/x.png`);
    expect(report.images[0]?.reason).toContain('not a public address');
    expect(connections).toBe(0);
  });

  it('row 74: see none by way of a redirect, either', async () => {
    connections = 0;
    const location = `http://localhost:${port}/x.png`;
    const undo = service.fail({ on: 'media', fault: { kind: 'redirect', location } });
    await syncCover('/media/snow.jpg');
    undo();
    expect(connections).toBe(0);
  });

  it('may be asked where their host is named', async () => {
    connections = 0;
    await syncCover(`http://localhost:${port}/x.png`, {
      images: { allowPrivateHosts: ['localhost'] },
    });
    expect(connections).toBeGreaterThan(0);
  });

  it.each([
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:0:7f00:1',
    '1::1',
    '0:1::1',
    '64:ff9b::a00:1',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
  ])('%s is one', (address) => expect(isSpecial(address)).toBe(true));

  it.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700::1111', '2a00:1450::1'])(
    '%s is none',
    (address) => {
      expect(isSpecial(address)).toBe(false);
      expect(isSpecialLiteral(`[${address}]`)).toBe(false);
    },
  );
});

describe('a signature', () => {
  it.each([
    ['https://a.example/x.png?w=1&X-Amz-Signature=abc&X-Amz-Date=1', 'https://a.example/x.png?w=1'],
    ['https://a.example/x.png?sv=1&sig=abc&se=2', 'https://a.example/x.png'],
    ['https://a.example/x.png?Expires=1&Signature=a&Key-Pair-Id=b', 'https://a.example/x.png'],
    ['https://a.example/x.png?sp=1&st=2', 'https://a.example/x.png?sp=1&st=2'],
    ['https://a.example/x.png?id=5', 'https://a.example/x.png?id=5'],
    ['/x.png', '/x.png'],
  ])('is taken off %s', (url, plain) => expect(unsigned(url)).toBe(plain));
});
