// Ghost. ARTICLES_API_KEY: the *Content API key* of a custom integration.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type Api, mapRows, numberedPages, translateApi } from 'astro-articles/client';

interface Post {
  id: string;
  title: string;
  // A post without a body has none.
  html: string | null;
  slug: string;
  custom_excerpt: string | null;
  feature_image: string | null;
  published_at: string;
}

const posts = 'ghost/api/content/posts/';

const fetch = translateApi({
  listRows: numberedPages(100, async ({ page, perPage, query }, api) => {
    const search = new URLSearchParams({
      ...query,
      key: api.key,
      page: String(page),
      limit: String(perPage),
    });
    const { body } = await api.get<{ posts: Post[]; meta: { pagination: { total: number } } }>(
      `${posts}?${search}`,
    );
    return {
      rows: mapRows(body.posts, (post) => toArticle(post, api)),
      count: body.meta.pagination.total,
    };
  }),

  async getArticle(id, api) {
    const path = `${posts}${encodeURIComponent(id)}/?key=${encodeURIComponent(api.key)}`;
    const { body } = await api.get<{ posts: [Post] }>(path);
    return toArticle(body.posts[0], api);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  format: 'html',
  rows: 'whole',
  // The host of its videos.
  sanitize: { iframes: ['www.youtube.com'] },
};

function toArticle({ id, title, slug, ...post }: Post, { baseUrl }: Api) {
  return {
    ...{ id, title, slug, description: post.custom_excerpt, date: post.published_at },
    content: linkToPages(post.html, baseUrl) ?? null,
    cover_image: post.feature_image,
  };
}

/** Lets links to other posts lead to their pages here. */
function linkToPages(html: string | null | undefined, baseUrl: string) {
  return html?.replace(/href="([^"]*\/)([\w-]+)\/"/g, (link, site, slug) =>
    site === baseUrl ? `href="/articles/${slug}/"` : link,
  );
}
