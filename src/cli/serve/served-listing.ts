const defaultLimit = 100;
const maxLimit = 500;

/**
 * Makes a page of the listing like the LimitOffsetPagination of Django REST framework: a limit that is too
 * high is lowered silently, and an offset past the end gives an empty page.
 */
export function listPage(articles: readonly unknown[], url: URL): unknown {
  const { offset = 0, limit: requested = defaultLimit } = readQuery(url);
  const limit = Math.min(requested, maxLimit);
  const rows = articles.slice(offset, offset + limit);
  return djangoPage(rows, { url, offset, limit, total: articles.length });
}

/** Reads the parameters of a listing. The last one counts, and a limit of zero is no limit. */
export function readQuery({ searchParams }: URL) {
  const read = (name: string) => {
    const text = searchParams.getAll(name).at(-1) ?? '';
    return /^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined;
  };
  return { offset: read('offset'), limit: read('limit') || undefined };
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
