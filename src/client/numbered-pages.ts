import type { Api, Rows, Translation } from './translate.ts';

/**
 * Creates `listRows()` for an API that numbers its pages, beginning with 1.
 *
 * @param perPage the number of rows on each page but the last. If it divides `pageSize`, each page is requested once
 */
export function numberedPages(
  perPage: number,
  listPage: (part: { page: number; perPage: number }, api: Api) => Promise<Rows>,
): Translation['listRows'] {
  return async ({ offset, limit }, api) => {
    const first = Math.floor(offset / perPage) + 1;
    const skipped = offset % perPage;
    const all: object[] = [];
    let count: number | undefined;
    for (let page = first; ; page++) {
      const part = await listPage({ page, perPage }, api);
      const { length } = part.rows;
      if (length > perPage || (length > 0 && all.length % perPage > 0)) {
        throw new Error(`its pages do not have the ${perPage} rows of \`numberedPages()\``);
      }
      all.push(...part.rows);
      count ??= part.count;
      // A page that is not full is the last one if `count` says so, or if the next one is empty.
      const isLast = length === 0 || offset - skipped + all.length === count;
      if (!isLast && (length < perPage || all.length < skipped + limit)) continue;
      const rows = all.slice(skipped, skipped + limit);
      return { rows, count, isEnd: isLast && skipped + limit >= all.length, isNumbered: true };
    }
  };
}
