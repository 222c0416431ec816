import { expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { isLong } from '../helpers/runs.ts';
import type { Site } from '../helpers/site.ts';
import { useSites } from '../helpers/use-builds.ts';
import { useService } from '../helpers/use-service.ts';

const articles = makeArticles(24, { words: [40, 120] }).map((article) => ({
  ...article,
  cover_image: '/media/ridges.jpg',
}));
const service = await useService({ articles });
const sites = useSites();

/** Prints how many pages were rendered at once, and how many lists of articles they have read. */
const page = `---
import { render } from 'astro:content';
import { getArticles, withBody } from 'astro-articles';
import { ArticleCover } from 'astro-articles/components';
export async function getStaticPaths() {
  const articles = await getArticles('articles');
  return articles.map((article) => ({ params: { slug: article.data.slug }, props: { article } }));
}
const { article } = Astro.props;
const { Content } = await render(await withBody(article));
const all = await getArticles('articles');
globalThis.pages ??= { open: 0, most: 0, firsts: new Set() };
const { pages } = globalThis;
// If all pages share one list, its first entry is the same object.
pages.firsts.add(all[0]);
pages.open += 1;
pages.most = Math.max(pages.most, pages.open);
await new Promise((resolve) => setTimeout(resolve, 20));
pages.open -= 1;
if (all.length - all.indexOf(article) === 1) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  console.log('pages at once: ' + (pages.most > 1 ? 'many' : 'one') + ', lists read: ' + pages.firsts.size);
}
---
<h1>{article.data.title}</h1>
<ArticleCover article={article} sizes="60rem" />
<Content />
<ul>{all.map(({ data }) => <li><a href={'/' + data.slug}>{data.title}</a></li>)}</ul>`;

/** Builds a site, and again after a change. Returns the line that the page prints first, and the files of the last build. */
async function buildTwice(concurrency: number) {
  service.replace(articles);
  const site = await sites.create({
    files: { 'astro.config.mjs': configWith(concurrency), 'src/pages/[slug].astro': page },
  });
  const output = await site.build(service.env);
  const line = /pages at once: .*/.exec(output)?.[0] ?? output;
  service.change(7, { title: 'Renamed', content: 'Changed.' });
  service.replace(service.articles.filter(({ id }) => id !== 9));
  await site.build(service.env);
  return { line, files: await filesOf(site) };
}

const configWith = (concurrency: number) => `
  import { defineConfig } from 'astro/config';
  import articles from 'astro-articles';
  export default defineConfig({
    integrations: [articles({ bodies: 'mirror' })],
    build: { concurrency: ${concurrency} },
  });`;

async function filesOf(site: Site): Promise<Record<string, string>> {
  const paths = (await site.list('dist')).filter((path) => /\.(?:html|jsonl)$/.test(path));
  const texts = await Promise.all(paths.map((path) => site.read(`dist/${path}`)));
  return Object.fromEntries(paths.map((path, index) => [path, texts[index] ?? '']));
}

it.runIf(isLong)('pages rendered at the same time are those rendered one by one', async () => {
  const one = await buildTwice(1);
  const many = await buildTwice(8);
  expect(one.line).toBe('pages at once: one, lists read: 1');
  expect(many.line).toBe('pages at once: many, lists read: 1');
  expect(many.files).toEqual(one.files);
  const redirects = Object.values(one.files).filter((text) =>
    text.includes('http-equiv="refresh"'),
  );
  expect(redirects).toHaveLength(1);
});
