import { beforeAll, expect, it } from 'vitest';
import { previewUrl } from '../../src/webhook/index.ts';
import { filesOf } from '../helpers/readme.ts';
import { isLong } from '../helpers/runs.ts';
import type { DevServer, Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const secret = 'the secret of previews & more';
const { 'src/layouts/Page.astro': layout = '' } = filesOf('README.md');
const articles = [
  { id: 'shown', title: 'Shown', content: 'Public text.', cover_image: null },
  { id: 'a draft/ü', title: '', content: 'Secret text.', cover_image: null },
];
const guide = filesOf('docs/guides/preview-links.md');
const origin = 'https://www.example.com';
const service = await useService({ articles });
const sites = useSites();
let site: Site;
let server: DevServer;

beforeAll(async () => {
  site = await sites.create({
    files: {
      ...guide,
      'src/layouts/Page.astro': layout,
      'astro.config.mjs': `
        import { defineConfig } from 'astro/config';
        import node from '@astrojs/node';
        import articles from 'astro-articles';
        export default defineConfig({ site: '${origin}', adapter: node({ mode: 'standalone' }), integrations: [articles()] });`,
      'tsconfig.json': JSON.stringify({
        extends: 'astro/tsconfigs/strictest',
        include: ['.astro/types.d.ts', 'src/live.config.ts', 'src/pages/preview*'],
      }),
    },
  });
  const env = { ...service.env, ARTICLES_PREVIEW_SECRET: secret };
  await site.build(env);
  server = await site.serve(env);
});

/** Requests a URL of the site from the server, which sees another host. */
async function get(address: string) {
  const response = await fetch(address.replace(origin, server.url), { redirect: 'manual' });
  const { status, headers } = response;
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  return { status, headers, text: await response.text() };
}

const page = `${origin}/preview`;

it.runIf(isLong)('the files of the guide have no type errors', () => site.check(service.env));

it('shows a draft to readers with its link only, and to no search engine', async () => {
  const { status, headers, text } = await get(await previewUrl('a draft/ü', { secret, page }));
  expect(status).toBe(200);
  expect(text).toContain('Secret text.');
  expect(text).toContain('<h1>a draft/ü</h1>');
  expect(headers.get('x-robots-tag')).toBe('noindex');
  const built = (await site.list('dist/client')).filter((path) => path.endsWith('.html'));
  for (const path of built) expect(await site.read(`dist/client/${path}`)).not.toContain('Secret');
});

it('refuses a link with another secret or host, and none at all', async () => {
  const unsigned = await previewUrl('a draft/ü', { secret: `${secret}!`, page });
  const local = await previewUrl('a draft/ü', { secret, page: `${server.url}/preview` });
  expect((await get(await previewUrl('missing', { secret, page }))).status).toBe(404);
  for (const address of [unsigned, page, local]) {
    const { status, text } = await get(address);
    expect({ status, hasText: text.includes('Secret') }).toEqual({ status: 403, hasText: false });
  }
});

it('redirects the preview button of the service to a link without the secret', async () => {
  const query = new URLSearchParams({ id: 'a draft/ü', secret });
  const { status, headers } = await get(`${origin}/preview-link?${query}`);
  const link = headers.get('location') ?? '';
  expect(status).toBe(302);
  expect(decodeURIComponent(link)).not.toContain('the+secret');
  expect(await get(origin + link)).toMatchObject({ status: 200 });
  for (const search of [
    '?id=shown',
    '?id=shown&secret=wrong',
    `?secret=${encodeURIComponent(secret)}`,
  ]) {
    const { status } = await fetch(`${server.url}/preview-link${search}`, { redirect: 'manual' });
    expect(status).toBe(403);
  }
});
