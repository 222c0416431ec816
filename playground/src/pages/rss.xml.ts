import rss from '@astrojs/rss';
import type { APIRoute } from 'astro';
import { feedItems } from 'astro-articles/feed';
import { addressOf, newestFirst } from '../articles.ts';
import { motto, name } from '../magazine.ts';

const newest = 20;

export const GET: APIRoute = async ({ site }) => {
  const articles = await newestFirst();
  return rss({
    title: name,
    description: motto,
    site: site ?? '',
    items: await feedItems(articles.slice(0, newest), {
      site,
      path: addressOf,
      date: ({ data }) => data.published_at,
      categories: ({ data }) => data.tags,
    }),
  });
};
