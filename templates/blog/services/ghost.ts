// Ghost. ARTICLES_API_KEY: the *Content API key* of a custom integration.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { createLinkPages, mapRows, numberedPages, translateApi } from 'astro-articles/client';

interface Post {
  id: string;
  title: string;
  // A post without a body has none.
  html: string | null;
  slug: string;
  url: string;
  custom_excerpt: string | null;
  feature_image: string | null;
  published_at: string;
  tags: { name: string; visibility: string }[];
}

const posts = 'ghost/api/content/posts/';
/** The pages of the listed posts. Links to all others lead to Ghost. */
const links = createLinkPages();

const listPosts = numberedPages(100, async ({ page, perPage }, api) => {
  const search = new URLSearchParams({
    ...api.query,
    key: api.key,
    include: 'tags',
    page: String(page),
    limit: String(perPage),
  });
  const { body } = await api.get<{ posts: Post[]; meta: { pagination: { total: number } } }>(
    `${posts}?${search}`,
  );
  const rows = mapRows(body.posts, (post) => {
    // A post for members has an empty body.
    if (post.html) links.add(post.url, `/articles/${post.slug}/`);
    return post;
  });
  return { rows, count: body.meta.pagination.total };
});

const fetch = translateApi({
  async listRows(range, api) {
    const listing = await listPosts(range, api);
    // After all pages of the range, because a post may link to one of a later page.
    const rows = mapRows(listing.rows as Post[], (post) => toArticle(post, api.baseUrl));
    return { ...listing, rows };
  },

  async getArticle(id, api) {
    const search = new URLSearchParams({ ...api.query, key: api.key, include: 'tags' });
    const path = `${posts}${encodeURIComponent(id)}/?${search}`;
    const { body } = await api.get<{ posts: [Post] }>(path);
    return toArticle(body.posts[0], api.baseUrl);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  format: 'html',
  rows: 'whole',
  // The host of its videos.
  sanitize: { iframes: ['www.youtube.com'] },
};

function toArticle({ id, title, slug, tags, ...post }: Post, baseUrl: string) {
  return {
    ...{ id, title, slug, description: post.custom_excerpt, date: post.published_at },
    content: post.html && links.map(showPosters(post.html), post.url, baseUrl),
    cover_image: post.feature_image,
    // The others are internal tags, such as `#wide`.
    tags: tags.flatMap(({ name, visibility }) => (visibility === 'public' ? name : [])),
  };
}

/** Gives videos the poster that Ghost has in their figure, the author's first, in place of a transparent picture. */
function showPosters(html: string) {
  const video =
    /(data-kg-thumbnail="([^"]*)"(?: data-kg-custom-thumbnail="([^"]*)")?(?:(?!<\/figure>).)*?<video\b[^>]*?) poster="data:[^"]*"/gs;
  return html.replace(video, (_, start, thumbnail, custom) => {
    const poster = custom || thumbnail;
    return poster ? `${start} poster="${poster}"` : start;
  });
}
