import { expect, it } from 'vitest';
import { loaderOptionsSchema } from '../../../src/content/articles-loader.ts';
import { articlesFilterSchema, liveSchema, showsDrafts } from '../../../src/live/live-options.ts';
import { read, tableBelow } from '../../helpers/readme.ts';

it('without options, a list has 20 articles and no drafts', () => {
  expect(articlesFilterSchema.parse({})).toEqual({ limit: 20 });
  expect(liveSchema.parse({}).drafts).toBe('skip');
});

// A new option has an effect in live pages, or the page says that it has none.
it('the page about live collections says of each option of a loader whether it has an effect', () => {
  const rows = tableBelow('docs/reference/live.md', 'Options').map(([options = '']) => options);
  const [ignored = ''] = /^.* have no effect\./m.exec(read('docs/reference/live.md')) ?? [];
  const named = [...rows, ignored].flatMap((text) =>
    Array.from(text.matchAll(/`(\w+)`/g), ([, option]) => option),
  );
  const options = [...Object.keys(loaderOptionsSchema.shape), 'render'];
  expect(named.toSorted()).toEqual(options.toSorted());
});

// Tests are served by Vite, as pages are in `astro dev`.
it.each([
  ['include', true],
  ['dev', true],
  ['skip', false],
] as const)('drafts are shown by the development server with `%s`: %s', (drafts, isShown) => {
  expect(showsDrafts({ drafts })).toBe(isShown);
});
