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
    const all: object[] = [];
    let count: number | undefined;
    let isEnd = false;
    let isFull = true;
    // A page that is not full is the last one if `count` says so, or if the next one is empty.
    for (let page = first; !isEnd && (!isFull || (page - 1) * perPage < offset + limit); page++) {
      const { rows, ...part } = await listPage({ page, perPage }, api);
      if (rows.length > perPage || (rows.length > 0 && !isFull)) {
        throw new Error(`its pages do not have the ${perPage} rows of \`numberedPages()\``);
      }
      all.push(...rows);
      count ??= part.count;
      isFull = rows.length === perPage;
      isEnd = rows.length === 0 || (page - 1) * perPage + rows.length === count;
    }
    const skipped = offset - (first - 1) * perPage;
    const rows = all.slice(skipped, skipped + limit);
    return { rows, count, isEnd: isEnd && skipped + rows.length >= all.length, isNumbered: true };
  };
}
