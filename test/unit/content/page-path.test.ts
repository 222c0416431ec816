import { beforeEach, expect, it, test, vi } from 'vitest';

const settings = vi.hoisted((): Record<string, unknown> => ({}));
vi.mock('#astro-config', () => settings);

beforeEach(() => vi.resetModules());

/** Returns the function of a page in a site with these settings. */
async function pagePathIn(given: Record<string, unknown>) {
  Object.assign(settings, { base: undefined, build: undefined, trailingSlash: undefined }, given);
  const { pagePath } = await import('../../../src/content/page-path.ts');
  return pagePath;
}

test.each([
  ['/', 'directory', 'ignore', '/articles/one/'],
  ['/docs', 'directory', 'never', '/docs/articles/one'],
  ['/docs/', 'file', 'ignore', '/docs/articles/one'],
  ['/docs', 'file', 'always', '/docs/articles/one/'],
])('in a site, pagePath() knows base %j, format %j and trailingSlash %j', async (...row) => {
  const [base, format, trailingSlash, path] = row;
  const pagePath = await pagePathIn({ base, build: { format }, trailingSlash });
  expect(pagePath('articles/one')).toBe(path);
});

it('outside of a site, pagePath() says where it can be called', async () => {
  const pagePath = await pagePathIn({});
  expect(() => pagePath('a')).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      hint: expect.stringContaining('package.json has `astro-articles` in `dependencies`'),
    }),
  );
});
