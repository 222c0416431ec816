import { describe, expect, it, test, vi } from 'vitest';
import { withSmallerPages } from '../../../src/client/listing/smaller-pages.ts';
import { type ArticlesErrorCode, ArticlesRequestError } from '../../../src/errors.ts';

/** A service that fails for pages with too many rows. The limit may differ by offset. */
function serviceOf(mostRows: number | ((offset: number) => number), code: ArticlesErrorCode) {
  const limits: number[] = [];
  const attempts = code === 'body-too-large' ? 1 : 5;
  const status = code === 'server-error' ? 500 : undefined;
  const request = withSmallerPages(async ({ offset, limit }) => {
    limits.push(limit);
    const most = typeof mostRows === 'number' ? mostRows : mostRows(offset);
    if (limit <= most) return { rows: [], envelope: 'results' };
    throw new ArticlesRequestError(code, `failed for ${limit}`, { attempts, status });
  });
  return { request, limits };
}

describe('a page that is too large', () => {
  it.each(['timeout', 'server-error'] as const)(
    'is requested in tenths when the failure took several attempts (%s)',
    async (code) => {
      const { request, limits } = serviceOf(1, code);
      await request({ offset: 0, limit: 500 });
      expect(limits).toEqual([500, 50, 5, 1]);
    },
  );

  test('is requested down to a single row', async () => {
    const { request, limits } = serviceOf(1, 'body-too-large');
    await request({ offset: 0, limit: 500 });
    expect(limits).toEqual([500, 250, 125, 63, 32, 16, 8, 4, 2, 1]);
  });

  test('makes later pages no smaller than ten rows', async () => {
    const { request, limits } = serviceOf((offset) => (offset === 0 ? 1 : 500), 'body-too-large');
    await request({ offset: 0, limit: 500 });
    limits.length = 0;
    await request({ offset: 1, limit: 500 });
    expect(limits).toEqual([10]);
  });

  it('fails with the first error when even one row is too much', async () => {
    const { request } = serviceOf(0, 'body-too-large');
    await expect(request({ offset: 0, limit: 500 })).rejects.toThrow('failed for 500');
  });

  it('fails with the first error when the time is up', async () => {
    const codes: ArticlesErrorCode[] = ['timeout', 'total-timeout'];
    const request = withSmallerPages(async ({ limit }): Promise<never> => {
      throw new ArticlesRequestError(codes.shift() ?? 'network', `failed for ${limit}`);
    });
    await expect(request({ offset: 0, limit: 500 })).rejects.toThrow('failed for 500');
  });
});

it('is not requested again after an error of another kind', async () => {
  const send = vi.fn().mockRejectedValue(new TypeError('aborted'));
  await expect(withSmallerPages(send)({ offset: 0, limit: 500 })).rejects.toThrow('aborted');
  expect(send).toHaveBeenCalledOnce();
});

it.each(['unauthorized', 'network', 'throttled', 'refused'] as const)(
  'is not requested again after another failure: %s',
  async (code) => {
    const { request, limits } = serviceOf(1, code);
    await expect(request({ offset: 0, limit: 500 })).rejects.toMatchObject({ code });
    expect(limits).toEqual([500]);
  },
);
