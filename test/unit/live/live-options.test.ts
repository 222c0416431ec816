import { expect, it } from 'vitest';
import { articlesFilterSchema, liveSchema, showsDrafts } from '../../../src/live/live-options.ts';

it('without options, a list has 20 articles and no drafts', () => {
  expect(articlesFilterSchema.parse({})).toEqual({ limit: 20 });
  expect(liveSchema.parse({}).drafts).toBe('skip');
});

// Tests are served by Vite, as pages are in `astro dev`.
it.each([
  ['include', true],
  ['dev', true],
  ['skip', false],
] as const)('drafts are shown by the development server with `%s`: %s', (drafts, isShown) => {
  expect(showsDrafts({ drafts })).toBe(isShown);
});
