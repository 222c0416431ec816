import type { AstroIntegrationLogger } from 'astro';
import { describe, expect, test } from 'vitest';
import { siteAt } from '../../../src/content/site-state.ts';
import { checkOnDemand, checkSlugs } from '../../../src/integration/newest-checks.ts';
import { shownSlugs } from './shown-slugs.ts';

describe('with `newest`, a page of an article', () => {
  const uuid = '550e8400-e29b-41d4-a716-446655440000';
  function siteOf(slugs: Record<string, string>, isWindow = true): URL {
    const root = new URL(`file:///newest-${Math.random()}/`);
    const shown = shownSlugs(slugs, isWindow ? { mayExist: () => true } : {});
    siteAt(root).slugs.set('articles', shown);
    return root;
  }

  function check(slugs: Record<string, string>, paths: string[], isWindow = true) {
    const root = siteOf(slugs, isWindow);
    const pages = paths.map((pathname) => ({ pathname }));
    return () => checkSlugs({ root }, pages);
  }

  test('may have the id in its slug', () => {
    const slugs = { 26: 'how-tides-work-26', about: 'about' };
    const pages = ['articles/how-tides-work-26/', 'articles/about/', ''];
    expect(check(slugs, pages)).not.toThrow();
  });

  test('may have the id next to its slug', () => {
    expect(
      check({ [uuid]: 'knots-kmgao3uroy' }, [`articles/${uuid}/knots-kmgao3uroy/`]),
    ).not.toThrow();
  });

  test('is refused by name otherwise, also with a slug that belongs to another article', () => {
    const slugs = { [uuid]: 'knots-kmgao3uroy', 5: 'top-10', 6: 'six-6' };
    const pages = ['articles/knots-kmgao3uroy/', 'articles/top-10/', 'top-10/notes/', 'six-6/'];
    expect(check(slugs, pages)).toThrow(
      expect.objectContaining({
        code: 'id-unreadable',
        message: `The page /articles/knots-kmgao3uroy/ shows the article "${uuid}", whose id cannot be read from the slug "knots-kmgao3uroy". The same is true of 2 articles.`,
        hint: expect.stringContaining('[id]/[slug].astro'),
      }),
    );
    expect(check(slugs, pages, false)).not.toThrow();
    expect(check(slugs, ['articles/'])).not.toThrow();
  });

  test('is a warning where no page is rendered on demand, because its URL stops working later', () => {
    const lines: string[] = [];
    const logger = {
      warn: (line: string) => lines.push(line),
    } as unknown as AstroIntegrationLogger;
    const root = siteOf({ 26: 'tides-26' });
    checkOnDemand({ root }, { pages: [{ pathname: 'articles/' }], logger });
    const pages = [{ pathname: 'articles/tides-26/' }];
    checkOnDemand({ root: siteOf({ 26: 'tides-26' }, false) }, { pages, logger });
    expect(lines).toEqual([]);
    checkOnDemand({ root }, { pages, logger });
    expect(lines).toEqual([expect.stringContaining('the newest articles of "articles" are built')]);
  });
});
