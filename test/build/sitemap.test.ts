import { afterAll, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createGuide } from '../helpers/documented-site.ts';
import type { Site } from '../helpers/site.ts';

const text = { content: 'Text.', cover_image: null };
let service: FixtureService;
let site: Site;

afterAll(async () => {
  await site?.remove();
  await service?.close();
});

it('the sitemap of the guide has the date of each article that has one', async () => {
  const articles = [
    { ...text, id: 26, title: 'Öl & Wasser', updated_at: '2026-03-02' },
    { ...text, id: 'undated', title: 'Undated' },
  ];
  service = await startService({ articles });
  site = await createGuide('docs/guides/sitemap.md');
  const { status, output } = await site.astro(['build'], service.env);
  expect(status, output).toBe(0);
  const { output: types } = await site.astro(['check'], service.env);
  expect(types).toMatch(/- 0 errors/);
  const urls = Array.from((await site.read('dist/sitemap-0.xml')).matchAll(/<url>(.*?)<\/url>/g));
  expect(urls.map(([, url]) => url)).toEqual([
    '<loc>https://www.example.com/articles/ol-wasser-26/</loc><lastmod>2026-03-02T00:00:00.000Z</lastmod>',
    '<loc>https://www.example.com/articles/undated/</loc>',
  ]);
});
