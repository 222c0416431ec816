// Ghost. ARTICLES_API_KEY: the *Content API key* of a custom integration.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { mapRows, numberedPages, translateApi } from 'astro-articles/client';

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
/** The slug of each listed post, by its URL. */
const slugs = new Map<string, string>();

const listPosts = numberedPages(100, async ({ page, perPage, query }, api) => {
  const search = new URLSearchParams({
    ...query,
    key: api.key,
    include: 'tags',
    page: String(page),
    limit: String(perPage),
  });
  const { body } = await api.get<{ posts: Post[]; meta: { pagination: { total: number } } }>(
    `${posts}?${search}`,
  );
  const rows = mapRows(body.posts, (post) => {
    slugs.set(post.url, post.slug);
    return post;
  });
  return { rows, count: body.meta.pagination.total };
});

const fetch = translateApi({
  async listRows(range, api) {
    const listing = await listPosts(range, api);
    // After all pages of the range, because a post may link to one of a later page.
    return { ...listing, rows: mapRows(listing.rows as Post[], toArticle) };
  },

  async getArticle(id, api) {
    const search = new URLSearchParams({ key: api.key, include: 'tags' });
    const path = `${posts}${encodeURIComponent(id)}/?${search}`;
    const { body } = await api.get<{ posts: [Post] }>(path);
    return toArticle(body.posts[0]);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  format: 'html',
  rows: 'whole',
  // The host of its videos.
  sanitize: { iframes: ['www.youtube.com'] },
};

function toArticle({ id, title, slug, tags, ...post }: Post) {
  return {
    ...{ id, title, slug, description: post.custom_excerpt, date: post.published_at },
    content: linkToPages(post.html) ?? null,
    cover_image: post.feature_image,
    // The others are internal tags, such as `#wide`.
    tags: tags.flatMap(({ name, visibility }) => (visibility === 'public' ? name : [])),
  };
}

/** Lets links to listed posts lead to their pages here. All others, such as links to pages of Ghost, still lead to Ghost. */
function linkToPages(html: string | null) {
  return html?.replace(/href="([^"#]+)(#[^"]*)?"/g, (link, url, fragment = '') =>
    slugs.has(url) ? `href="/articles/${slugs.get(url)}/${fragment}"` : link,
  );
}
