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
// Shared by all pages, so each is the same list of the same entries.
globalThis.pages ??= { open: 0, most: 0, firsts: new Set() };
const { pages } = globalThis;
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

async function filesOf(site: Site): Promise<Record<string, string>> {
  const paths = (await site.list('dist')).filter((path) => /\.(?:html|jsonl)$/.test(path));
  const texts = await Promise.all(paths.map((path) => site.read(`dist/${path}`)));
  return Object.fromEntries(paths.map((path, index) => [path, texts[index] ?? '']));
}

it.runIf(isLong)(
  'pages that are rendered at the same time are those that are rendered one by one',
  async () => {
    const outputs: string[] = [];
    const built = [];
    for (const concurrency of [1, 8]) {
      service.replace(articles);
      const site = await sites.create({
        files: {
          'astro.config.mjs': `
          import { defineConfig } from 'astro/config';
          import articles from 'astro-articles';
          export default defineConfig({
            integrations: [articles({ bodies: 'mirror' })],
            build: { concurrency: ${concurrency} },
          });`,
          'src/pages/[slug].astro': page,
        },
      });
      const output = await site.build(service.env);
      outputs.push(/pages at once: .*/.exec(output)?.[0] ?? output);
      service.change(7, { title: 'Renamed', content: 'Changed.' });
      service.replace(service.articles.filter(({ id }) => id !== 9));
      await site.build(service.env);
      built.push(await filesOf(site));
    }
    expect(outputs).toEqual([
      'pages at once: one, lists read: 1',
      'pages at once: many, lists read: 1',
    ]);
    const [one = {}, many] = built;
    expect(many).toEqual(one);
    expect(Object.values(one).filter((text) => text.includes('http-equiv="refresh"'))).toHaveLength(
      1,
    );
  },
);
