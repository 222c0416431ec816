import type { APIRoute, GetStaticPaths } from 'astro';
import { cacheKey, withBody } from 'astro-articles';
import { newestFirst } from '../../articles.ts';

/** The Markdown of each article, at the address of its page with `.md`. */
export const getStaticPaths = (async () => {
  const articles = await newestFirst();
  return articles.map((article) => ({
    params: { slug: article.data.slug },
    props: { article },
    cacheKey: cacheKey(article),
  }));
}) satisfies GetStaticPaths;

export const GET: APIRoute = async ({ props: { article } }) => {
  const { body, data } = await withBody(article);
  const heading = `# ${data.title.replace(/\s+/g, ' ')}\n`;
  return new Response(body.startsWith(heading) ? body : `${heading}\n${body}\n`);
};
