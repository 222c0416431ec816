import type { Settings } from './serve-options.ts';
import type { ServedArticle } from './served-article.ts';

/** The asked values as they were sent; `undefined` when missing or not a number. */
export interface Asked {
  offset: number | undefined;
  limit: number | undefined;
}

/**
 * A page of articles, paged as Django REST framework's LimitOffsetPagination does: a limit that
 * is too high is lowered silently, and an offset past the end gives an empty page.
 */
export function listPage(
  articles: readonly ServedArticle[],
  url: URL,
  settings: Settings,
): unknown {
  const asked = readAsked(url.searchParams);
  const offset = settings.ignoreOffset ? 0 : (asked.offset ?? 0);
  const limit = pageLimit(asked, settings);

  const ordered = settings.order === 'oldest-first' ? articles.toReversed() : articles;
  const rows = ordered.slice(offset, offset + limit).map((article) => toRow(article, settings));
  return envelop(rows, { url, offset, limit, total: articles.length, settings });
}

/** Reads `limit` and `offset`; the last one counts, and a limit of zero is no limit. */
export function readAsked(query: URLSearchParams): Asked {
  const limit = readNumber(query.getAll('limit').at(-1));
  return {
    offset: readNumber(query.getAll('offset').at(-1)),
    limit: limit === 0 ? undefined : limit,
  };
}

function pageLimit(asked: Asked, settings: Settings): number {
  if (settings.ignoreLimit || asked.limit === undefined) return settings.defaultLimit;
  return Math.min(asked.limit, settings.maxLimit);
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined;
}

function toRow(article: ServedArticle, settings: Settings): unknown {
  if (settings.rows === 'full') return article;
  return { id: article.id, title: article.title, cover_image: article.cover_image };
}

interface Page {
  url: URL;
  offset: number;
  limit: number;
  total: number;
  settings: Settings;
}

function envelop(rows: unknown[], page: Page): unknown {
  const { envelope, count = envelope === 'results' || envelope === 'nested' } = page.settings;

  switch (envelope) {
    case 'array':
      return rows;
    case 'results':
      return count
        ? { count: page.total, next: nextLink(page), previous: previousLink(page), results: rows }
        : { results: rows };
    case 'nested':
      return { data: count ? { results: rows, count: page.total } : { results: rows } };
    default:
      return count ? { total: page.total, [envelope]: rows } : { [envelope]: rows };
  }
}

function nextLink({ url, offset, limit, total }: Page): string | null {
  if (offset + limit >= total) return null;
  return linkTo(url, { limit, offset: offset + limit });
}

function previousLink({ url, offset, limit }: Page): string | null {
  if (offset <= 0) return null;
  return linkTo(url, { limit, offset: Math.max(0, offset - limit) });
}

/** The parameters are sorted, and an offset of zero is left out, as the framework does. */
function linkTo(url: URL, { limit, offset }: { limit: number; offset: number }): string {
  const link = new URL(url);
  link.searchParams.set('limit', String(limit));
  link.searchParams.set('offset', String(offset));
  if (offset === 0) link.searchParams.delete('offset');
  link.searchParams.sort();
  return link.href;
}
