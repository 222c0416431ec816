import type { ServedArticle } from './served-article.ts';

const defaultLimit = 100;
const maxLimit = 500;

/**
 * Makes a page of the listing like the LimitOffsetPagination of Django REST framework: a limit that is too
 * high is lowered silently, and an offset past the end gives an empty page.
 */
export function listPage(articles: readonly ServedArticle[], url: URL): unknown {
  const { offset = 0, limit = defaultLimit } = readQuery(url.searchParams);
  const page = { url, offset, limit: Math.min(limit, maxLimit), total: articles.length };
  return djangoPage(articles.slice(offset, offset + page.limit), page);
}

/** Reads the parameters of a listing. The last one counts, and a limit of zero is no limit. */
export function readQuery(query: URLSearchParams): {
  offset: number | undefined;
  limit: number | undefined;
} {
  const limit = readNumber(query.getAll('limit').at(-1));
  const offset = readNumber(query.getAll('offset').at(-1));
  return { offset, limit: limit === 0 ? undefined : limit };
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined;
}

export interface PagePlace {
  url: URL;
  offset: number;
  limit: number;
  /** The number of all articles. */
  total: number;
}

export function djangoPage(results: unknown[], { url, offset, limit, total }: PagePlace) {
  const hasNext = offset + limit < total;
  return {
    count: total,
    next: hasNext ? linkTo(url, { limit, offset: offset + limit }) : null,
    previous: offset > 0 ? linkTo(url, { limit, offset: Math.max(0, offset - limit) }) : null,
    results,
  };
}

/** The parameters are sorted, and an offset of zero is left out, as in Django REST framework. */
function linkTo(url: URL, { limit, offset }: { limit: number; offset: number }): string {
  const link = new URL(url);
  link.searchParams.set('limit', String(limit));
  link.searchParams.set('offset', String(offset));
  if (offset === 0) link.searchParams.delete('offset');
  link.searchParams.sort();
  return link.href;
}
