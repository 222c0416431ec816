import { hash } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { start } from '../helpers/command-line.ts';
import { blogTemplate, changed } from '../helpers/documented-site.ts';
import { codeBlocks } from '../helpers/readme.ts';
import { createSite, type Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';

// A site of the shape of Astro's blog template, built with `glob()`, and again after the steps of the page.

const post = (fields: string, text: string) => `---\n${fields}\n---\n\n${text}\n`;

const posts = {
  'first-post.md': post(
    "title: 'First post'\ndescription: 'A description of its own'\npubDate: 'Jul 08 2022'\nupdatedDate: 'Aug 01 2022'\nheroImage: '../../assets/tides.jpg'",
    'Text.\n\n![Snow](./snow.jpg)\n\n![A road](../../assets/road.jpg)',
  ),
  '2024/sea trip/index.md': post(
    "title: 'Sea trip'\ndescription: 'In a folder'\npubDate: 'Jul 01 2024'\nheroImage: './sea.jpg'",
    '![A cafe](pictures/cafe.jpg)',
  ),
  'given.md': post(
    "title: 'Given'\ndescription: 'A slug of its own'\npubDate: 'Jul 03 2024'\nslug: chosen-path-3",
    'Text.',
  ),
};
const pictures = {
  'src/assets/tides.jpg': 'tides.jpg',
  'src/assets/road.jpg': 'road.jpg',
  'src/content/blog/snow.jpg': 'snow.jpg',
  'src/content/blog/2024/sea trip/sea.jpg': 'ridges.jpg',
  'src/content/blog/2024/sea trip/pictures/cafe.jpg': 'cafe.jpg',
};

const template: Record<string, string> = {
  'package.json': JSON.stringify({
    name: 'blog',
    private: true,
    type: 'module',
    dependencies: { astro: '*', 'astro-articles': '*' },
  }),
  'tsconfig.json': JSON.stringify({ extends: 'astro/tsconfigs/strict' }),
  ...blogTemplate,
  'src/pages/blog/[...slug].astro': `---
import { Image } from 'astro:assets';
import { type CollectionEntry, getCollection, render } from 'astro:content';

export async function getStaticPaths() {
  const posts = await getCollection('blog');
  return posts.map((post) => ({ params: { slug: post.id }, props: post }));
}
type Props = CollectionEntry<'blog'>;

const { Content } = await render(Astro.props);
const { title, description, pubDate, updatedDate, heroImage } = Astro.props.data;
---

<html lang="en">
  <head>
    <title>{title}</title>
    <meta name="description" content={description} />
  </head>
  <body>
    {heroImage && <Image width={1020} height={510} src={heroImage} alt="" />}
    <time datetime={pubDate.toISOString()}>{pubDate.toDateString()}</time>
    {updatedDate && <time datetime={updatedDate.toISOString()}>{updatedDate.toDateString()}</time>}
    <h1>{title}</h1>
    <Content />
  </body>
</html>
`,
  // Instead of the pages that test sites have.
  'src/pages/entries.json.ts': 'export const GET = () => new Response();',
  'src/pages/[...slug].astro': '---\nexport const getStaticPaths = () => [];\n---\n',
};

const { keep } = useSites();
const diffs = codeBlocks('docs/start/move.md').filter(({ language }) => language === 'diff');
// Without those for a loader of one's own, and the example of a redirect.
const steps = diffs.slice(3, 5);
let site: Site;
let serving: ReturnType<typeof start>['child'] | undefined;
let env: Record<string, string>;
let before: Awaited<ReturnType<typeof built>>;
let after: typeof before;

/** Returns what the pages of a build show, by path. */
async function built() {
  const all = (html: string, pattern: RegExp) => Array.from(html.matchAll(pattern), ([all]) => all);
  const pages = new Map<string, unknown>();
  for (const path of await site.list('dist')) {
    if (!path.endsWith('.html')) continue;
    const html = await site.read(`dist/${path}`);
    expect(html).not.toContain('127.0.0.1');
    const images = all(html, /<img [^>]*>/g).map(async (image) => {
      const [, src = ''] = / src="(\/_astro\/[^"]*)"/.exec(image) ?? [];
      const picture = hash('sha256', await readFile(join(site.root, 'dist', src)));
      return [picture, / alt(?:="[^"]*")?(?= )/.exec(image)?.[0]];
    });
    const texts =
      /<title>.*?<\/title>|<meta name="description"[^>]*>|<h\d[^>]*>.*?<\/h\d>|<time [^>]*>/g;
    pages.set(path, { texts: all(html, texts), images: await Promise.all(images) });
  }
  return pages;
}

beforeAll(async () => {
  const files = Object.entries(posts).map(([path, text]) => [`src/content/blog/${path}`, text]);
  site = await keep(createSite({ files: { ...template, ...Object.fromEntries(files) } }));
  const covers = fileURLToPath(new URL('../../fixtures/covers/', import.meta.url));
  for (const [path, name] of Object.entries(pictures)) {
    await mkdir(dirname(join(site.root, path)), { recursive: true });
    await copyFile(join(covers, name), join(site.root, path));
  }
  await site.build();
  before = await built();
  await site.reset();

  const { child, printed } = start(['serve', './src', '--port', '0'], { cwd: site.root });
  serving = child;
  const variables = () => Array.from(printed.out.matchAll(/^(ARTICLES_\w+)=(.+)$/gm));
  await vi.waitFor(() => expect(variables()).toHaveLength(2), { timeout: 10_000 });
  env = Object.fromEntries(variables().map(([, name = '', value = '']) => [name, value]));
  for (const [path, text] of Object.entries(changed(template, steps))) {
    if (text !== template[path]) await site.write(path, text);
  }
  await site.build(env);
  after = await built();
});

afterAll(() => void serving?.kill());

it('changes the two files that the page names, and they have no type errors', async () => {
  const files = changed(template, steps);
  const changes = Object.keys(files).filter((path) => files[path] !== template[path]);
  expect(changes).toEqual(['astro.config.mjs', 'src/content.config.ts']);
  await site.check(env);
});

it('no URL is lost', () => {
  expect([...before.keys()]).toEqual([
    'blog/2024/sea-trip/index.html',
    'blog/chosen-path-3/index.html',
    'blog/first-post/index.html',
  ]);
  expect([...after.keys()]).toEqual([...before.keys()]);
});

it('no title, description, date and picture is lost', () => {
  expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
  expect(JSON.stringify([...before]).match(/"[\da-f]{64}"/g)).toHaveLength(5);
});
