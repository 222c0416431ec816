// Directus, with a collection `articles` that has these fields. If `content` is a WYSIWYG field, add `format: 'html'`.
// ARTICLES_API_KEY: the static token of a user who may read items and files. PDFs, films and SVG in texts stay in Directus, so
// the public policy has to allow them.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type Api, mapRows, translateApi } from 'astro-articles/client';

interface Item {
  id: number | string;
  title: string;
  slug: string;
  content: string;
  // `transform` leaves out drafts: Directus 12 without a licence lets users read all items or none.
  status: string;
  published: string;
  cover: { id: string; modified_on: string } | null;
}

const items = 'items/articles';
const fields = 'id,title,slug,content,status,published,cover.id,cover.modified_on';

const fetch = translateApi({
  async listRows({ offset, limit }, api) {
    const search = new URLSearchParams({
      ...api.query,
      fields,
      offset: String(offset),
      limit: String(limit),
      sort: '-published,-id',
      meta: 'filter_count',
    });
    const { body } = await api.get<{ data: Item[]; meta: { filter_count: number } }>(
      `${items}?${search}`,
      authorize(api),
    );
    return { rows: mapRows(body.data, toArticle), count: body.meta.filter_count };
  },

  async getArticle(id, api) {
    const search = new URLSearchParams({ ...api.query, fields });
    const path = `${items}/${encodeURIComponent(id)}?${search}`;
    const { body } = await api.get<{ data: Item }>(path, authorize(api));
    return toArticle(body.data);
  },

  getFile: (url, api) => api.fetch(url, authorize(api)),
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  rows: 'whole',
  // Directus publishes an item with a date in the future at once.
  transform: (article) =>
    article.status === 'published' && !(Date.parse(String(article.date)) > Date.now())
      ? article
      : undefined,
};

function authorize({ key }: Api) {
  return { authorization: `Bearer ${key}` };
}

function toArticle({ published, cover, ...fields }: Item) {
  // A file that is replaced keeps its id.
  const cover_image = cover && `/assets/${cover.id}?v=${Date.parse(cover.modified_on)}`;
  return { ...fields, date: published, cover_image };
}
