// Payload, with a collection `articles` whose `content` is Markdown. For rich text, see translate.md.
// ARTICLES_API_KEY: the API key of a user in the collection `users`.
import type { ArticlesIntegrationOptions } from 'astro-articles';
import { type Api, mapRows, numberedPages, translateApi } from 'astro-articles/client';

interface Doc {
  id: number | string;
  // A localized field without a value is missing.
  title?: string;
  slug?: string;
  content?: string;
  createdAt: string;
  cover: { url: string } | null;
  author?: unknown;
  tags?: unknown;
}

/** Of related documents, the fields of covers, and the names of users, but not their e-mail addresses and logins. */
const related = { depth: '1', 'populate[users][name]': 'true' };

const fetch = translateApi({
  listRows: numberedPages(100, async ({ page, perPage }, api) => {
    const search = new URLSearchParams({
      ...related,
      ...api.query,
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
    const search = new URLSearchParams({ ...related, ...api.query });
    const path = `api/articles/${encodeURIComponent(id)}?${search}`;
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

function toArticle({ title, content, createdAt, cover, author, tags, ...fields }: Doc) {
  return {
    ...{ ...fields, title: title ?? null, content: content ?? null },
    ...{ date: createdAt, cover_image: cover?.url ?? null },
    ...{ author: nameOf(author), tags: nameOf(tags) },
  };
}

/** Returns the name of a related author or tag, and a list of names for several. Other fields of them stay in the service. */
function nameOf(related: unknown): unknown {
  if (Array.isArray(related)) return related.flatMap((each) => nameOf(each) ?? []);
  if (typeof related === 'string') return related;
  return related instanceof Object && 'name' in related ? related.name : undefined;
}
