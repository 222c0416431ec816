import rss from '@astrojs/rss';
import type { APIRoute } from 'astro';
import { feedItems } from 'astro-articles/feed';
import { newestFirst } from '../articles';
import { motto, name } from '../site';

export const GET: APIRoute = async ({ site }) =>
  rss({
    title: name,
    description: motto,
    site: site ?? 'https://www.example.com',
    items: await feedItems((await newestFirst()).slice(0, 20), {
      site,
      path: ({ data }) => `/articles/${data.slug}/`,
      date: ({ data }) => data.date,
      categories: ({ data }) => data.tags,
    }),
  });
