// Directus, with a collection `articles` that has these fields.
// ARTICLES_API_KEY: the static token of a user who may read items and files.
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
  cover: string | null;
}

const items = 'items/articles';
const fields = 'id,title,slug,content,status,published,cover';

const fetch = translateApi({
  async listRows({ offset, limit, query }, api) {
    const search = new URLSearchParams({
      ...query,
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
    const path = `${items}/${encodeURIComponent(id)}?fields=${fields}`;
    const { body } = await api.get<{ data: Item }>(path, authorize(api));
    return toArticle(body.data);
  },

  getFile: (url, api) => api.fetch(url, authorize(api)),
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  rows: 'whole',
  transform: (article) => (article.status === 'published' ? article : undefined),
};

function authorize({ key }: Api) {
  return { authorization: `Bearer ${key}` };
}

function toArticle({ published, cover, ...fields }: Item) {
  return { ...fields, date: published, cover_image: cover && `/assets/${cover}` };
}
