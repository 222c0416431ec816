import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const content = '## Part\n\nText ![x](/media/snow.jpg)\n\n```js\n1\n```';
const service = await useService({
  articles: [
    { id: 'one', title: 'One', cover_image: '/media/tides.jpg', content },
    ...makeArticles(11, { cover: 'tides.jpg' }),
  ],
});
const sites = useSites();

const page = `---
  import { getCollection, render } from 'astro:content';
  import { withBody } from 'astro-articles';
  import { Image } from 'astro:assets';
  export async function getStaticPaths() {
    const entries = await getCollection('articles');
    return entries.map((entry) => ({ params: { slug: entry.id }, props: { entry }, cacheKey: entry.digest }));
  }
  const { entry } = Astro.props;
  console.log('rendered ' + entry.id + '.');
  const whole = await withBody(entry);
  const { Content, headings } = await render(whole);
  ---
  <h1>{entry.data.title}</h1>
  {entry.data.cover_image && <Image src={entry.data.cover_image} alt="" width={300} />}
  <pre>{whole.body}</pre>
  <nav>{headings.map(({ text }) => text)}</nav>
  <article><Content /></article>`;

it('texts stay out of the store, pages are the same, and incremental builds render those that changed', async () => {
  const site = await sites.create({
    files: { 'src/pages/[...slug].astro': page, 'package-lock.json': '{}' },
    options: `{ bodies: process.env.BODIES, images: { body: 'local' } }`,
    config: 'experimental: { incrementalBuild: true },',
  });
  const build = async (bodies = 'mirror') => {
    const output = await site.build({ ...service.env, BODIES: bodies });
    return Array.from(output.matchAll(/rendered (\w+)\./g), ([, id]) => id).sort();
  };
  expect(await build()).toHaveLength(12);
  const one = await site.read('dist/one/index.html');
  expect(one).toMatch(/<article><h2 id="part">Part<\/h2>[\s\S]*<img [^>]*src="\/_astro\//);
  expect(one).toContain('<nav>Part</nav>');
  expect(await site.read('node_modules/.astro/data-store.json')).not.toContain('## Part');
  expect(await build()).toEqual([]);

  service.change(5, { content: 'Changed.' });
  service.change(6, { cover_image: '/media/snow.jpg' });
  expect(await build()).toEqual(['5', '6']);
  expect(await site.read('dist/5/index.html')).toContain('<p>Changed.</p>');

  await build('store');
  expect(await site.read('dist/one/index.html')).toBe(one);
});
