// WordPress. ARTICLES_API_KEY: any word, such as `unused`, because posts are public.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { createLinkPages, mapRows, textOfHtml, translateApi } from 'astro-articles/client';

interface Post {
  id: number;
  slug: string;
  link: string;
  date_gmt: string;
  modified_gmt: string;
  title: { rendered: string } | null;
  content: { rendered: string; protected: boolean } | null;
  _embedded?: {
    'wp:featuredmedia'?: { source_url?: string }[];
    'wp:term'?: { taxonomy: string; name: string }[][];
  };
}

const posts = 'wp-json/wp/v2/posts';
/**
 * The pages of the listed posts. Links to all others lead to WordPress. So does a link to a post that is published later,
 * until the post with the link is saved again.
 */
const links = createLinkPages();

const fetch = translateApi({
  async listRows({ offset, limit }, api) {
    const search = new URLSearchParams({
      ...api.query,
      offset: String(offset),
      // WordPress refuses more.
      per_page: String(Math.min(limit, 100)),
      // Later loads are small if rows have only what shows a change, and what links need.
      _fields: 'id,modified_gmt,slug,link,content.protected',
    });
    type Row = Pick<Post, 'id' | 'modified_gmt' | 'slug' | 'link' | 'content'>;
    const { body, headers } = await api.get<Row[]>(`${posts}?${search}`);
    const rows = mapRows(body, ({ slug, link, content, ...row }) => {
      if (!content?.protected) links.add(link, `/articles/${decodeURIComponent(slug)}/`);
      return row;
    });
    return { rows, count: Number(headers.get('x-wp-total')) };
  },

  async getArticle(id, api) {
    const search = new URLSearchParams({ ...api.query, _embed: 'wp:featuredmedia,wp:term' });
    const path = `${posts}/${encodeURIComponent(id)}?${search}`;
    return toArticle((await api.get<Post>(path)).body, api.baseUrl);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  format: 'html',
  rows: { changedBy: 'modified_gmt' },
  // The host of its videos.
  sanitize: { iframes: ['www.youtube.com'] },
};

function toArticle(post: Post, baseUrl: string) {
  const { id, slug, link, date_gmt, modified_gmt, title, content, _embedded } = post;
  const terms = _embedded?.['wp:term']?.flat() ?? [];
  return {
    // WordPress encodes a slug that is not ASCII.
    ...{ id, slug: decodeURIComponent(slug), modified_gmt, date: date_gmt },
    title: textOfHtml(title?.rendered ?? ''),
    content: content && links.map(content.rendered, link, baseUrl),
    cover_image: _embedded?.['wp:featuredmedia']?.[0]?.source_url ?? null,
    tags: terms.flatMap(({ taxonomy, name }) => (taxonomy === 'post_tag' ? textOfHtml(name) : [])),
  };
}
