import { expect, it } from 'vitest';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { type LoadMore, offline, useSite } from '../helpers/use-site.ts';

const article = { title: 'A title', content: 'Text.' };
const site = useSite({
  articles: () => [
    { ...article, id: 'tides', cover_image: '/media/tides.jpg' },
    { ...article, id: 'none', cover_image: null },
  ],
});

async function colors(options: ArticlesOptions = {}, more: LoadMore = {}) {
  const { failure, entries } = await site.load(options, more);
  expect(failure).toBeUndefined();
  return Object.fromEntries([...entries].map(([id, { data }]) => [id, data.cover_color]));
}

it('an entry has the colour of its cover, which later loads know without the image', async () => {
  const first = await colors();
  expect(first).toEqual({ tides: expect.stringMatching(/^#[0-9a-f]{6}$/), none: null });
  expect(site.service.count('media')).toBe(1);
  // As after Astro has cleared its store.
  expect(await colors({}, { ...offline, inMemory: true })).toEqual(first);
  site.service.change('none', { cover_image: '/media/welcome.png' });
  const second = await colors();
  expect(second).toEqual({ ...first, none: expect.stringMatching(/^#[0-9a-f]{6}$/) });
  expect(second.none).not.toBe(second.tides);
});
