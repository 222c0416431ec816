// Strapi 5, with the collection type `article`, whose `content` is *Rich text (Markdown)*.
// ARTICLES_API_KEY: an API token with `find` and `findOne`.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type Api, mapRows, translateApi } from 'astro-articles/client';

interface Document {
  documentId: string;
  title: string;
  content: string;
  createdAt: string;
  cover: { url: string } | null;
}

const fetch = translateApi({
  async listRows({ offset, limit, query }, api) {
    const search = new URLSearchParams({
      ...query,
      'pagination[start]': String(offset),
      'pagination[limit]': String(limit),
      populate: 'cover',
      sort: 'createdAt:desc,documentId',
    });
    const { body } = await api.get<{ data: Document[]; meta: { pagination: { total: number } } }>(
      `api/articles?${search}`,
      authorize(api),
    );
    const rows = mapRows(body.data, toArticle, 'documentId');
    return { rows, count: body.meta.pagination.total };
  },

  async getArticle(id, api) {
    const path = `api/articles/${encodeURIComponent(id)}?populate=cover`;
    const { body } = await api.get<{ data: Document }>(path, authorize(api));
    return toArticle(body.data);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  rows: 'whole',
};

function authorize({ key }: Api) {
  return { authorization: `Bearer ${key}` };
}

function toArticle({ documentId, createdAt, cover, ...fields }: Document) {
  return { ...fields, id: documentId, date: createdAt, cover_image: cover?.url ?? null };
}
