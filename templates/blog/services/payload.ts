// Payload, with a collection `articles` whose `content` is Markdown.
// ARTICLES_API_KEY: the API key of a user in the collection `users`.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type Api, mapRows, numberedPages, translateApi } from 'astro-articles/client';

interface Doc {
  id: number | string;
  title: string;
  slug: string;
  content: string;
  createdAt: string;
  cover: { url: string } | null;
}

const fetch = translateApi({
  listRows: numberedPages(100, async ({ page, perPage, query }, api) => {
    const search = new URLSearchParams({
      ...query,
      page: String(page),
      limit: String(perPage),
      sort: '-createdAt,-id',
    });
    const { body } = await api.get<{ docs: Doc[]; totalDocs: number }>(
      `api/articles?${search}`,
      authorize(api),
    );
    return { rows: mapRows(body.docs, toArticle), count: body.totalDocs };
  }),

  async getArticle(id, api) {
    const path = `api/articles/${encodeURIComponent(id)}`;
    const { body } = await api.get<Doc>(path, authorize(api));
    return toArticle(body);
  },
});

export const service: ArticlesIntegrationOptions = {
  fetch,
  rows: 'whole',
  transform: (article) => (article._status === 'draft' ? undefined : article),
};

function authorize({ key }: Api) {
  return { authorization: `users API-Key ${key}` };
}

function toArticle({ createdAt, cover, ...fields }: Doc) {
  return { ...fields, date: createdAt, cover_image: cover?.url ?? null };
}
