import { expect, it } from 'vitest';
import { pagePath } from '../../../src/content/page-path.ts';

it('outside of a site, pagePath() says where it can be called', () => {
  expect(() => pagePath('a')).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      hint: expect.stringContaining('package.json has `astro-articles` in `dependencies`'),
    }),
  );
});
