import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fixtureCover, type ImageHost, startImageHost } from '../helpers/image-host.ts';
import { runs } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><script>alert(1)</script></svg>';

let host: ImageHost;
let hidden: ImageHost;
const service = await useService();
/** Covers that cannot be used: the id of the article, the cover, and a part of the warning. */
let bad: [string, unknown, string | RegExp][];
const good = ['tides.jpg', 'welcome.png', 'clouds.webp', 'garden.avif', 'balloon.gif', 'pause.gif'];

beforeAll(async () => {
  [host, hidden] = await Promise.all([startImageHost(), startImageHost()]);
  const png = await fixtureCover('welcome.png');
  const jpeg = await fixtureCover('tides.jpg');
  const giant = Buffer.from(png);
  giant.writeUInt32BE(60_000, 16);
  giant.writeUInt32BE(60_000, 20);
  for (const name of good) host.responses.set(`/${name}`, await fixtureCover(name));
  host.responses.set('/liar.png', (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(jpeg);
  });

  const respond = (
    path: string,
    ...reply: [number, Record<string, string>?, (string | Buffer)?]
  ) => {
    const [status, headers = {}, body = ''] = reply;
    host.responses.set(path, (_, response) => response.writeHead(status, headers).end(body));
    return `${host.url}${path}`;
  };
  const serve = (path: string, bytes: Buffer | string) => respond(path, 200, {}, bytes);
  const inside = `localhost:${hidden.port}`;
  bad = [
    ['absent', `${host.url}/absent`, 'responded 404'],
    ['page', serve('/page.png', '<!doctype html><p>hello'), 'it is not a JPEG, PNG'],
    [
      'long',
      respond('/long.png', 200, {}, Buffer.concat([png, Buffer.alloc(300_000)])),
      'images.maxBytes',
    ],
    ['vector', serve('/vector.svg', svg), 'it is an SVG image'],
    ['half', serve('/half.jpg', jpeg.subarray(0, jpeg.length / 2)), 'corrupt or incomplete'],
    [
      'packed',
      respond('/packed.png', 200, { 'content-encoding': 'gzip' }, gzipSync(png).subarray(0, 99)),
      'it is not a JPEG, PNG',
    ],
    ['giant', serve('/giant.png', giant), /more than 50000000 pixels|corrupt/],
    ['loopback', `http://${inside}/x.png`, 'not a public address'],
    ['metadata', 'http://169.254.169.254/latest/meta-data', 'not a public address'],
    [
      'redirect',
      respond('/inward', 302, { location: `http://${inside}/x.png` }),
      'not a public address',
    ],
    ['circle', respond('/circle', 302, { location: '/circle' }), 'redirects more than 5 times'],
    ['data', 'data:image/png;base64,AAAA', 'not data:'],
    ['file', 'file:///etc/passwd', 'not file:'],
    ['script', 'javascript:alert(1)', 'not javascript:'],
    ['user', `http://user:pass@${inside}/x.png`, 'user name or password'],
    ['nowhere', 'http://', 'it is not a valid URL'],
  ];
  host.responses.set('/stalled.png', (_, response) => void response.writeHead(200).write('x'));
  bad.push(['stalled', `${host.url}/stalled.png`, 'download took longer than']);
});
afterAll(() => Promise.all([host.close(), hidden.close()]));
beforeEach(() => {
  host.requests.length = 0;
  service.clearRequests();
});

const text = [
  '![local](/media/ridges.jpg "A ridge")',
  '![again](/media/ridges.jpg)',
  '![](HOST/liar.png)',
  '![missing](HOST/absent.png)',
  '<img src="HOST/welcome.png" width="200" alt=\'"&quot;<b>\'>',
  'Astro writes `__ASTRO_IMAGE_="{}"`, and __ASTRO_IMAGE_="x" may be said.',
].join('\n\n');

function articles() {
  const covers = [...good, 'liar.png'].map((name) => ({
    id: name,
    cover_image: `${host.url}/${name}`,
  }));
  const shared = { id: 'shared', cover_image: `${host.url}/tides.jpg` };
  return [
    ...[...covers, shared].map((article) => ({ title: article.id, content: 'good', ...article })),
    ...bad.map(([id, cover_image]) => ({ id, title: id, content: 'bad', cover_image })),
    { id: 'body', title: 'body', content: text.replaceAll('HOST', host.url), cover_image: null },
  ];
}

// With Astro 6, the tests of components cover images, too. `TEST_SCALE` runs these tests as well.
const versions = runs(1).numRuns > 1 ? ([7, 6] as const) : ([7] as const);

describe.each(versions)('images on Astro %i', (astro) => {
  const sites = useSites();
  let site: Site;
  const build = () => site.astro(['build'], service.env);

  beforeAll(async () => {
    service.replace(articles());
    site = await sites.create({
      astro,
      options: `{ images: { body: 'local', maxBytes: 200_000 } }`,
      config: `image: { domains: ['127.0.0.1:${host.port}'] },`,
    });
  });

  it('that cannot be used do not fail the build, and are each named once', async () => {
    const { status, output } = await build();
    expect(output).not.toContain('ImageNotFound');
    expect(status).toBe(0);
    for (const [id, , reason] of bad) {
      const lines = output.split('\n').filter((line) => line.includes(` of article ${id}: `));
      expect(lines, id).toHaveLength(1);
      expect(lines[0], id).toMatch(reason);
    }
    const covers = new Map((await site.entries()).map(({ id, data }) => [id, data.cover_image]));
    for (const [id] of bad) expect(covers.get(id), id).toBeNull();
    for (const name of [...good, 'liar.png', 'shared'])
      expect(covers.get(name), name).not.toBeNull();
    const pages = await site.list('dist');
    expect(pages.filter((path) => path.endsWith('.webp')).length).toBeGreaterThanOrEqual(
      good.length,
    );
    expect(hidden.requests).toEqual([]);
    expect(host.requests.filter(({ path }) => path === '/tides.jpg')).toHaveLength(1);
    expect(host.requests.some(({ headers }) => 'x-project-api-key' in headers)).toBe(false);
  });

  it('of bodies are optimised, with their size, or stay remote', async () => {
    const [path = ''] = (await site.list('dist')).filter((file) =>
      /(?:^|\/)body\/index\.html$/.test(file),
    );
    const html = /<article>[\s\S]*<\/article>/.exec(await site.read(`dist/${path}`))?.[0] ?? '';
    const images = [...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag);
    expect(images).toHaveLength(5);
    const local = images.filter((tag) => tag.includes('src="/_astro/'));
    expect(local).toHaveLength(4);
    for (const tag of local)
      expect(tag).toMatch(/(?=.*width="\d+")(?=.*height="\d+")(?=.*loading="lazy")/);
    expect(local[0]).toContain('alt="local"');
    expect(local[0]).toContain('title="A ridge"');
    expect(local[3]).toContain('width="200"');
    expect(images.find((tag) => !local.includes(tag))).toContain(`src="${host.url}/absent.png"`);
    expect(html).not.toMatch(/<[^>]*__ASTRO_IMAGE_/);
    expect(html).toContain('may be said');
  });
});
