import rss from '@astrojs/rss';
import type { APIRoute } from 'astro';
import { getArticles, pagePath } from 'astro-articles';
import { feedItems } from 'astro-articles/feed';
import { pathOf } from '../articles';
import { motto, name } from '../site';

export const GET: APIRoute = async ({ site }) =>
  rss({
    title: name,
    description: motto,
    items: await feedItems((await getArticles('articles')).slice(0, 20), {
      site,
      path: pathOf,
      date: ({ data }) => data.date,
      categories: ({ data }) => data.tags,
    }),
    site: new URL(pagePath(''), site),
  });
