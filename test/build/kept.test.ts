import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FixtureService, startService } from '../../fixtures/service.ts';
import { createSite, type Site } from '../helpers/site.ts';

let service: FixtureService;
let site: Site;

beforeEach(async () => {
  service = await startService({
    articles: [
      { id: 1, title: 'Short', content: 'Old text ![x](/media/snow.jpg)', cover_image: tides },
      { id: 2, title: 'Other', content: 'Beside it.', cover_image: null },
    ],
  });
});
afterEach(async () => {
  await site.remove();
  await service.close();
});

const tides = '/media/tides.jpg';
const cache = 'node_modules/.astro/astro-articles';

const content = `
  import { defineCollection } from 'astro:content';
  import { z } from 'astro/zod';
  import { articleSchema, articlesLoader } from 'astro-articles';
  const schema = (context) => articleSchema(context).extend({ title: z.string().max(20) });
  export const collections = { articles: defineCollection({ loader: articlesLoader(), schema }) };`;
const page = `---
  import { getCollection, render } from 'astro:content';
  import { Image } from 'astro:assets';
  import { withBody } from 'astro-articles';
  export async function getStaticPaths() {
    const entries = await getCollection('articles');
    return entries.map((entry) => ({ params: { id: entry.id }, props: { entry } }));
  }
  const { entry } = Astro.props;
  const { Content } = await render(await withBody(entry));
  const cover = entry.data.cover_image;
  ---
  <h1>{entry.data.title}</h1>{cover && <Image src={cover} alt="" />}<Content />`;

async function build() {
  const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
  const { status, output } = await site.astro(['build'], env);
  expect(status, output).toBe(0);
  return { output, page: await site.read('dist/1/index.html') };
}

/** Makes all that was kept look as old as after days without a build. */
async function age() {
  const longAgo = new Date(Date.now() - 10 * 86_400_000);
  for (const path of await site.list(cache)) {
    if (!path.endsWith('index.json')) await utimes(join(site.root, cache, path), longAgo, longAgo);
  }
}

it.each(['store', 'mirror'])(
  'the last good version of an entry stays whole for as long as the schema refuses the next (%s)',
  async (bodies) => {
    const options = `{ bodies: '${bodies}', onInvalid: 'keep', images: { body: 'local' } }`;
    const files = { 'src/content.config.ts': content, 'src/pages/[id].astro': page };
    site = await createSite({ options, files });
    const { page: first } = await build();
    expect(first).toContain('Old text');
    expect(first.match(/src="\/_astro\//g)).toHaveLength(2);

    const refused = { title: 'Far too long for the schema', content: 'New', cover_image: null };
    service.change(1, refused);
    await age();
    for (const text of ['Changed.', 'Changed again.']) {
      service.change(2, { content: text });
      const next = await build();
      expect(next.output).toContain('article "1": its data does not match');
      expect(next.page).toBe(first);
      expect(await site.read('dist/2/index.html')).toContain(text);
      await age();
    }

    const held = await site.list(cache);
    service.change(1, { title: 'Short again' });
    expect((await build()).page).toContain('<p>New</p>');
    for (const text of ['Nearly last.', 'Last.']) {
      await age();
      service.change(2, { content: text });
      await build();
    }
    expect((await site.list(cache)).length).toBeLessThan(held.length);
  },
);

it('an entry whose last good version has lost a file is left out, and said to be', async () => {
  const options = `{ onInvalid: 'keep' }`;
  const files = { 'src/content.config.ts': content, 'src/pages/[id].astro': page };
  site = await createSite({ options, files });
  await build();
  service.change(1, { title: 'Far too long for the schema', cover_image: null });
  await rm(join(site.root, cache, 'articles/images'), { recursive: true });
  const env = { ARTICLES_BASE_URL: service.url, ARTICLES_API_KEY: service.apiKey };
  const { status, output } = await site.astro(['build'], env);
  expect(status, output).toBe(0);
  expect(output).toContain('Article "1" is left out: files of its last good version are lost.');
});
