// WordPress. ARTICLES_API_KEY: any word, such as `unused`, because posts are public.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { mapRows, textOfHtml, translateApi } from 'astro-articles/client';

interface Post {
  id: number;
  slug: string;
  link: string;
  date_gmt: string;
  modified_gmt: string;
  title: { rendered: string } | null;
  content: { rendered: string } | null;
  _embedded?: {
    'wp:featuredmedia'?: { source_url?: string }[];
    'wp:term'?: { taxonomy: string; name: string }[][];
  };
}

const posts = 'wp-json/wp/v2/posts';
/** The slug of each listed post, by its URL. */
const slugs = new Map<string, string>();

const fetch = translateApi({
  async listRows({ offset, limit, query }, api) {
    const search = new URLSearchParams({
      ...query,
      offset: String(offset),
      // WordPress refuses more.
      per_page: String(Math.min(limit, 100)),
      // Later loads are small if rows have only what shows a change, and what links need.
      _fields: 'id,modified_gmt,slug,link',
    });
    type Row = Pick<Post, 'id' | 'modified_gmt' | 'slug' | 'link'>;
    const { body, headers } = await api.get<Row[]>(`${posts}?${search}`);
    const rows = mapRows(body, ({ slug, link, ...row }) => {
      // A slug with percent signs, such as a Japanese one, is not the slug of the page.
      if (/^[\w-]+$/.test(slug)) slugs.set(link, slug);
      return row;
    });
    return { rows, count: Number(headers.get('x-wp-total')) };
  },

  async getArticle(id, api) {
    const path = `${posts}/${encodeURIComponent(id)}?_embed=wp:featuredmedia,wp:term`;
    return toArticle((await api.get<Post>(path)).body);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  format: 'html',
  rows: { changedBy: 'modified_gmt' },
  // The host of its videos.
  sanitize: { iframes: ['www.youtube.com'] },
};

function toArticle(post: Post) {
  const { id, slug, date_gmt, modified_gmt, title, content, _embedded } = post;
  const terms = _embedded?.['wp:term']?.flat() ?? [];
  return {
    ...{ id, slug, modified_gmt, date: date_gmt },
    title: textOfHtml(title?.rendered ?? ''),
    content: linkToPages(content?.rendered),
    cover_image: _embedded?.['wp:featuredmedia']?.[0]?.source_url ?? null,
    tags: terms.flatMap(({ taxonomy, name }) => (taxonomy === 'post_tag' ? textOfHtml(name) : [])),
  };
}

/**
 * Lets links to listed posts lead to their pages here. All others, such as links to pages of WordPress, still lead there.
 * So does a link to a post that is published later, until the post with the link is saved again.
 */
function linkToPages(html: string | undefined) {
  return html?.replace(/href="([^"#]+)(#[^"]*)?"/g, (link, url, fragment = '') =>
    slugs.has(url) ? `href="/articles/${slugs.get(url)}/${fragment}"` : link,
  );
}
