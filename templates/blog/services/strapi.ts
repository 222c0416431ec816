// Strapi 5, with the collection type `article`, whose `content` is *Rich text (Markdown)*. For CKEditor, add `format: 'html'`.
// ARTICLES_API_KEY: an API token with `find` and `findOne`.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type Api, mapRows, translateApi } from 'astro-articles/client';

interface Document {
  documentId: string;
  title: string;
  content: string;
  createdAt: string;
  cover: { url: string } | null;
  author?: unknown;
  tags?: unknown;
}

/** Related fields of the article. For a relation `author`, add `'populate[author][fields]': 'name'`. */
const related = { 'populate[cover]': 'true' };

const fetch = translateApi({
  async listRows({ offset, limit }, api) {
    const search = new URLSearchParams({
      ...api.query,
      ...related,
      'pagination[start]': String(offset),
      'pagination[limit]': String(limit),
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
    const search = new URLSearchParams({ ...api.query, ...related });
    const path = `api/articles/${encodeURIComponent(id)}?${search}`;
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

function toArticle({ documentId, createdAt, cover, author, tags, ...fields }: Document) {
  return {
    ...{ ...fields, id: documentId, date: createdAt, cover_image: cover?.url ?? null },
    ...{ author: nameOf(author), tags: nameOf(tags) },
  };
}

/** Returns the name of a related author or tag, and a list of names for several. Other fields of them stay in the service. */
function nameOf(related: unknown): unknown {
  if (Array.isArray(related)) return related.flatMap((each) => nameOf(each) ?? []);
  if (typeof related === 'string') return related;
  return related instanceof Object && 'name' in related ? related.name : undefined;
}
