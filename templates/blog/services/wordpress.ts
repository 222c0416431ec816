// WordPress. ARTICLES_API_KEY: any word, such as `unused`, because posts are public.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type Api, textOfHtml, translateApi } from 'astro-articles/client';

interface Post {
  id: number;
  slug: string;
  date_gmt: string;
  modified_gmt: string;
  title: { rendered: string } | null;
  content: { rendered: string } | null;
  _embedded?: { 'wp:featuredmedia'?: { source_url?: string }[] };
}

const posts = 'wp-json/wp/v2/posts';

const fetch = translateApi({
  async listRows({ offset, limit, query }, api) {
    const search = new URLSearchParams({
      ...query,
      offset: String(offset),
      // WordPress refuses more.
      per_page: String(Math.min(limit, 100)),
      // Later loads are small if rows have only what shows a change.
      _fields: 'id,modified_gmt',
    });
    type Row = Pick<Post, 'id' | 'modified_gmt'>;
    const { body, headers } = await api.get<Row[]>(`${posts}?${search}`);
    return { rows: body, count: Number(headers.get('x-wp-total')) };
  },

  async getArticle(id, api) {
    const path = `${posts}/${encodeURIComponent(id)}?_embed=wp:featuredmedia`;
    return toArticle((await api.get<Post>(path)).body, api);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  format: 'html',
  rows: { changedBy: 'modified_gmt' },
  // The host of its videos.
  sanitize: { iframes: ['www.youtube.com'] },
};

function toArticle(post: Post, { baseUrl }: Api) {
  const { id, slug, date_gmt, modified_gmt, title, content, _embedded } = post;
  return {
    ...{ id, slug, modified_gmt, date: date_gmt },
    title: textOfHtml(title?.rendered ?? ''),
    content: linkToPages(content?.rendered, baseUrl),
    cover_image: _embedded?.['wp:featuredmedia']?.[0]?.source_url ?? null,
  };
}

/** If your permalinks are post names, lets links to other posts lead to their pages here. */
function linkToPages(html: string | null | undefined, baseUrl: string) {
  return html?.replace(/href="([^"]*\/)([\w-]+)\/"/g, (link, site, slug) =>
    site === baseUrl ? `href="/articles/${slug}/"` : link,
  );
}
