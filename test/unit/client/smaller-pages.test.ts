import { expect, it } from 'vitest';
import { withSmallerPages } from '../../../src/client/listing/page.ts';
import { type ArticlesErrorCode, ArticlesRequestError } from '../../../src/errors.ts';

/** A service that fails for pages with too many rows, which may depend on the offset. */
function serviceOf(mostRows: (offset: number) => number, code: ArticlesErrorCode) {
  const limits: number[] = [];
  const attempts = code === 'body-too-large' ? 1 : 5;
  const status = code === 'server-error' ? 500 : undefined;
  const request = withSmallerPages(async ({ offset, limit }) => {
    limits.push(limit);
    if (limit <= mostRows(offset)) return { rows: [], envelope: 'results' };
    throw new ArticlesRequestError(code, `failed for ${limit}`, { attempts, status });
  });
  return { request: (offset = 0) => request({ offset, limit: 500 }), limits };
}

it.each([
  ['halves', 'body-too-large', [500, 250, 125, 63, 32, 16, 8, 4, 2, 1]],
  ['tenths, because the failure took several attempts,', 'timeout', [500, 50, 5, 1]],
  ['tenths, because the failure took several attempts,', 'server-error', [500, 50, 5, 1]],
] as const)(
  'a page that is too large is requested in %s down to a single row (%s)',
  async (_, code, expected) => {
    const { request, limits } = serviceOf((offset) => (offset === 0 ? 1 : 500), code);
    await request();
    expect(limits).toEqual(expected);
    // Later pages begin with no fewer than ten rows.
    await request(1);
    expect(limits.at(-1)).toBe(10);
    const { request: failing } = serviceOf(() => 0, code);
    await expect(failing()).rejects.toThrow('failed for 500');
  },
);

it.each(['unauthorized', 'network', 'throttled', 'refused', 'total-timeout'] as const)(
  'a page is not requested again after another failure: %s',
  async (code) => {
    const { request, limits } = serviceOf(() => 1, code);
    await expect(request()).rejects.toMatchObject({ code });
    expect(limits).toEqual([500]);
  },
);
