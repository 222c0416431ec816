import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const service = await useService({ articles: makeArticles(3) });
const sites = useSites();

const page = `---
import { getEntry, render } from 'astro:content';
import { withBody } from 'astro-articles';
const entry = await getEntry('articles', Astro.params.slug ?? '');
const { Content } = await render(await withBody(entry));
---
<h1>{entry.data.title}</h1><Content />`;

it('a build whose pages on demand cannot read the texts of articles names them', async () => {
  const site = await sites.create({
    config:
      "output: 'server', adapter: (await import('@astrojs/node')).default({ mode: 'standalone' })",
    options: "{ bodies: 'mirror', entryId: 'id' }",
    files: { 'src/pages/[...slug].astro': page },
  });
  const output = await site.build(service.env);
  expect(output).toContain('its response breaks off');
  expect(output).toContain('(src/pages/[...slug].astro)');

  const server = await site.serve(service.env);
  await fetch(`${server.url}/1`).then(
    (response) => response.text(),
    () => '',
  );
  expect(server.output()).toContain('No load of this process has the text of "1"');
  expect(server.output()).not.toContain('cloudflare');
});

it('a build with `prerender = false` in the page of articles names it, and is quiet with texts in the store', async () => {
  const files = {
    'src/pages/[...slug].astro': page.replace('---', '---\nexport const prerender = false;'),
  };
  const config = "adapter: (await import('@astrojs/node')).default({ mode: 'standalone' })";
  const create = (bodies: string) =>
    sites.create({ config, options: `{ bodies: '${bodies}', entryId: 'id' }`, files });
  expect(await (await create('mirror')).build(service.env)).toContain(
    '(src/pages/[...slug].astro)',
  );
  const site = await create('store');
  expect(await site.build(service.env)).not.toContain('on demand');
  const server = await site.serve(service.env);
  expect((await fetch(`${server.url}/1`)).status).toBe(200);
});
