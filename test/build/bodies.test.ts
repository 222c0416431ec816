import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const service = await useService();
const sites = useSites();

const mirrored = `{ bodies: 'mirror', images: { body: 'local' } }`;
const article = { title: 'One', cover_image: '/media/tides.jpg' };
const page = (more = '') => `---
  import { getCollection, render } from 'astro:content';
  import { withBody } from 'astro-articles';
  import { Image } from 'astro:assets';
  export async function getStaticPaths() {
    const entries = await getCollection('articles');
    return entries.map((entry) => ({ params: { slug: entry.id }, props: { entry }, ${more} }));
  }
  const { entry } = Astro.props;
  const whole = await withBody(entry);
  const { Content, headings } = await render(whole);
  ---
  <h1>{entry.data.title}</h1>
  {entry.data.cover_image && <Image src={entry.data.cover_image} alt="" width={300} />}
  <pre>{whole.body}</pre>
  <nav>{headings.map(({ text }) => text)}</nav>
  <article><Content /></article>`;

it.each([7, 6] as const)(
  'texts stay out of the store of Astro %i, and pages are the same',
  async (astro) => {
    service.replace([
      { ...article, id: 1, content: '## Part\n\nText ![x](/media/snow.jpg)\n\n```js\n1\n```' },
      { ...article, id: 2, content: 'No image.' },
    ]);
    const files = { 'src/pages/[...slug].astro': page() };
    const site = await sites.create({ astro, files, options: mirrored });
    await site.build(service.env);
    const [one, two] = [await site.read('dist/1/index.html'), await site.read('dist/2/index.html')];
    expect(one).toMatch(/<article><h2 id="part">Part<\/h2>[\s\S]*<img [^>]*src="\/_astro\//);
    expect(one).toContain('<nav>Part</nav>');
    expect(two).toContain('<p>No image.</p>');
    const store = await site.read('node_modules/.astro/data-store.json');
    expect(store).not.toContain('No image.</p>');
    expect(store).not.toContain('## Part');

    const config = await site.read('astro.config.mjs');
    await site.write('astro.config.mjs', config.replace("bodies: 'mirror', ", ''));
    await site.build(service.env);
    expect(await site.read('dist/1/index.html')).toBe(one);
    expect(await site.read('dist/2/index.html')).toBe(two);
  },
);

it('an incremental build renders exactly the pages whose article or cover has changed', async () => {
  service.replace(makeArticles(12, { cover: 'tides.jpg' }));
  const rendered = `console.log('rendered ' + entry.id);`;
  const files = {
    'src/pages/[...slug].astro': page('cacheKey: entry.digest').replace(
      'const whole',
      `${rendered}\nconst whole`,
    ),
    'package-lock.json': '{}',
  };
  const config = 'experimental: { incrementalBuild: true },';
  for (const options of ['{}', mirrored]) {
    const site = await sites.create({ files, options, config });
    const build = async () => {
      const output = await site.build(service.env);
      const ids = [...output.matchAll(/rendered (\d+)/g)].map(([, id]) => Number(id));
      return ids.toSorted((a, b) => a - b);
    };
    expect(await build()).toHaveLength(12);
    expect(await build()).toEqual([]);
    service.change(5, { content: 'Changed.' });
    expect(await build()).toEqual([5]);
    expect(await site.read('dist/5/index.html')).toContain('<p>Changed.</p>');
    service.change(6, { cover_image: '/media/snow.jpg' });
    expect(await build()).toEqual([6]);
    service.replace(makeArticles(12, { cover: 'tides.jpg' }));
  }
});
