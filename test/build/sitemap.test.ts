import { expect, it } from 'vitest';
import { createGuide } from '../helpers/documented-site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const text = { content: 'Text.', cover_image: null };
const articles = [
  { ...text, id: 26, title: 'Öl & Wasser', updated_at: '2026-03-02' },
  { ...text, id: 'undated', title: 'Undated' },
];
const service = await useService({ articles });
const { keep } = useSites();

it('the sitemap of the guide has the date of each article that has one', async () => {
  const site = await keep(createGuide('docs/guides/sitemap.md'));
  await site.build(service.env);
  await site.check(service.env);
  const urls = Array.from((await site.read('dist/sitemap-0.xml')).matchAll(/<url>(.*?)<\/url>/g));
  expect(urls.map(([, url]) => url)).toEqual([
    '<loc>https://www.example.com/articles/ol-wasser-26/</loc><lastmod>2026-03-02T00:00:00.000Z</lastmod>',
    '<loc>https://www.example.com/articles/undated/</loc>',
  ]);
});
