import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixtureCover, startImageHost } from '../helpers/image-host.ts';
import { runs } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const [host, hidden] = await Promise.all([startImageHost(), startImageHost()]);
afterAll(() => Promise.all([host.close(), hidden.close()]));
const service = await useService();
const good = ['tides.jpg', 'welcome.png', 'clouds.webp', 'garden.avif', 'balloon.gif', 'pause.gif'];
for (const name of good) host.responses.set(`/${name}`, await fixtureCover(name));
const jpeg = await fixtureCover('tides.jpg');
host.responses.set('/liar.png', (_, response) => {
  response.writeHead(200, { 'content-type': 'image/png' }).end(jpeg);
});
host.responses.set('/half.jpg', jpeg.subarray(0, jpeg.length / 2));
host.responses.set('/page.png', Buffer.from('<!doctype html><p>hello'));
host.responses.set('/inward', (_, response) => {
  response.writeHead(302, { location: `http://localhost:${hidden.port}/x.png` }).end();
});
/** Covers that cannot be used: the id of the article, the cover, and a part of the warning. */
const bad = [
  ['absent', `${host.url}/absent`, 'responded 404'],
  ['page', `${host.url}/page.png`, 'it is not a JPEG, PNG'],
  ['half', `${host.url}/half.jpg`, 'corrupt or incomplete'],
  ['loopback', `http://localhost:${hidden.port}/x.png`, 'not a public address'],
  ['redirect', `${host.url}/inward`, 'not a public address'],
  ['file', 'file:///etc/passwd', 'not file:'],
  ['script', 'javascript:alert(1)', 'not javascript:'],
] as const;

const text = [
  '![local](/media/ridges.jpg "A ridge")',
  '![again](/media/ridges.jpg)',
  '![](HOST/liar.png)',
  '![missing](HOST/absent.png)',
  '<img src="HOST/welcome.png" width="200" alt=\'"&quot;<b>\'>',
  'Astro writes `__ASTRO_IMAGE_="{}"`, and __ASTRO_IMAGE_="x" may be said.',
].join('\n\n');

const covers = [...good, 'liar.png'].map((name) => ({ id: name, cover: `${host.url}/${name}` }));
covers.push({ id: 'shared', cover: `${host.url}/tides.jpg` });
service.replace([
  ...covers.map(({ id, cover }) => ({ id, title: id, content: 'good', cover_image: cover })),
  ...bad.map(([id, cover_image]) => ({ id, title: id, content: 'bad', cover_image })),
  { id: 'body', title: 'body', content: text.replaceAll('HOST', host.url), cover_image: null },
]);

// With Astro 6, the tests of components cover images, too. `TEST_SCALE` runs these tests as well.
const versions = runs(1).numRuns > 1 ? ([7, 6] as const) : ([7] as const);

describe.each(versions)('images on Astro %i', (astro) => {
  const sites = useSites();
  let site: Site;

  beforeAll(async () => {
    site = await sites.create({
      astro,
      options: `{ images: { body: 'local' } }`,
      config: `image: { domains: ['127.0.0.1:${host.port}'] },`,
    });
  });

  it('that cannot be used do not fail the build, and are each named once', async () => {
    const output = await site.build(service.env);
    expect(output).not.toContain('ImageNotFound');
    for (const [id, , reason] of bad) {
      const lines = output.split('\n').filter((line) => line.includes(` of article ${id}: `));
      expect(lines, id).toHaveLength(1);
      expect(lines[0], id).toContain(reason);
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
