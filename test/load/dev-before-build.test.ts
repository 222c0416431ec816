import { beforeEach, describe, expect, it } from 'vitest';
import { makeArticles } from '../../fixtures/articles.ts';
import { siteAt } from '../../src/content/site-state.ts';
import type { ArticlesOptions } from '../../src/options/options.ts';
import { allowRemoval, type LoadMore, useSite } from '../helpers/use-site.ts';

// `astro dev` and previews show drafts, so a build does not compare with them.

const count = 30;
const site = useSite({ options: { failOn: ['service'] } });
beforeEach(() => {
  const articles = makeArticles(count, { words: [5, 10] });
  site.service.replace(
    articles.map((article, index) => ({ ...article, status: index < 18 ? 'draft' : 'published' })),
  );
});

/** Leaves out drafts in builds, as the documentation does. */
const withDrafts = (isShown: boolean): ArticlesOptions => ({
  transform: (article) => (article.status === 'draft' && !isShown ? undefined : article),
});
const build = (more?: LoadMore) => site.load(withDrafts(false), more);
const dev = () => site.load({ ...withDrafts(true), drafts: 'include' }, { command: 'dev' });
const preview = () => site.load({ ...withDrafts(true), drafts: 'include' });

describe('a build after a load that has shown drafts', () => {
  it.each([
    ['astro dev', dev],
    ['a preview', preview],
  ])('is not refused as a mass removal, in any order of builds and %s', async (_, show) => {
    for (const [load, shown] of [
      [show, count],
      [build, 12],
      [show, count],
      [show, count],
      [build, 12],
    ] as const) {
      const { failure, entries } = await load();
      expect(failure).toBeUndefined();
      expect(entries.size).toBe(shown);
    }
  });

  it('is refused if it removes most of what the last build has shown, though dev has seen less of it', async () => {
    expect((await site.load(withDrafts(true))).entries.size).toBe(count);
    for (let id = 1; id <= 16; id++) site.service.change(id, { content: '' });
    // `astro dev` shows them as drafts.
    expect((await dev()).entries.size).toBe(count);
    expect((await site.load(withDrafts(true))).failure).toMatchObject({
      code: 'mass-removal',
      message: expect.stringContaining('16 of the 30 articles'),
    });
    const allowed = await site.load(withDrafts(true), allowRemoval);
    expect(allowed.entries.size).toBe(14);
    expect((await site.load(withDrafts(true))).failure).toBeUndefined();
  });

  it('does not count what `astro dev` has found to be gone, or older than the newest', async () => {
    const options = { ...withDrafts(true), newest: 20 };
    expect((await site.load(withDrafts(true))).entries.size).toBe(count);
    for (const [first, last] of [
      [1, 14],
      [15, 22],
    ] as const) {
      for (let id = first; id <= last; id++) site.service.remove(id);
      expect((await dev()).failure).toBeUndefined();
    }
    expect((await site.load(withDrafts(true))).entries.size).toBe(8);
    site.service.replace(makeArticles(count, { words: [5, 10] }));
    expect((await site.load(options)).entries.size).toBe(20);
    site.service.replace([...makeArticles(60, { words: [5, 10] })]);
    expect((await site.load(options, { command: 'dev' })).failure).toBeUndefined();
    expect((await site.load(options)).failure).toBeUndefined();
  });
});

describe('a first build in a folder where `astro dev` has run', () => {
  const paths = new Map(
    Array.from({ length: count }, (_, index) => [
      `articles/${index + 1}`,
      new Map([['0 former', 1]]),
    ]),
  );
  const adapt: LoadMore['adapt'] = (context) => {
    const published = Promise.resolve(paths);
    const integration = { options: {}, redirects: true, mode: 'production', published };
    siteAt(context.config.root).integration = integration;
    return context;
  };

  it('and whose key is one of another project, which withholds the published articles, is refused', async () => {
    const others = makeArticles(count).map((article) => ({
      ...article,
      id: `other-${article.id}`,
    }));
    site.service.replace(others);
    site.strike(({ id = '' }) => paths.has(`articles/${id}`), { kind: 'status', status: 403 });
    const { failure } = await site.load(withDrafts(true), { adapt });
    expect(failure?.code).toBe('mass-removal');
    expect((await site.load(withDrafts(true), { adapt, ...allowRemoval })).entries.size).toBe(
      count,
    );
  });
});
