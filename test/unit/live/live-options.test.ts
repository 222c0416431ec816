import { expect, it } from 'vitest';
import { articlesFilterSchema, liveSchema, showsDrafts } from '../../../src/live/live-options.ts';

it('the options have the documented defaults', () => {
  const given = { drafts: 'skip', concurrency: 6, timeout: 5_000, retries: 1 };
  expect(liveSchema.parse({})).toMatchObject(given);
  expect(articlesFilterSchema.parse({})).toEqual({ limit: 20 });
});

// Tests are served by Vite, as pages are in `astro dev`.
it.each([
  ['include', true],
  ['dev', true],
  ['skip', false],
] as const)('drafts are shown by the development server with `%s`: %s', (drafts, isShown) => {
  expect(showsDrafts({ drafts })).toBe(isShown);
});
