import type { AstroIntegrationLogger } from 'astro';
import { describe, expect, test } from 'vitest';
import type { ShownSlugs } from '../../../src/content/site-state.ts';
import { checkOnDemand, checkPaths, checkSlugs } from '../../../src/integration/site-checks.ts';
import { route } from '../../helpers/routes.ts';
import { shownSlugs } from './shown-slugs.ts';

/** By collection: the slugs of its articles. */
type Site = ReadonlyMap<string, ShownSlugs>;

const dir = new URL('file:///site/');

/** Checks the output of a build, and returns the warnings. */
function warningsOf(site: Site, { pages = [''], hasServer = true } = {}): string[] {
  const lines: string[] = [];
  const warn = (line: string) => lines.push(line);
  const logger = { warn } as unknown as AstroIntegrationLogger;
  const paths = pages.map((pathname) => ({ pathname }));
  checkSlugs(site, { pages: paths });
  const routes = hasServer ? [route('/articles/[...slug]')] : [];
  checkOnDemand(site, { dir, pages: paths, routes, logger });
  return lines;
}

describe('with `newest`, a page of an article', () => {
  const uuid = '550e8400-e29b-41d4-a716-446655440000';
  function siteOf(slugs: Record<string, string>, isNewestOnly = true): Site {
    return new Map([['articles', shownSlugs(slugs, { isNewestOnly })]]);
  }

  const slugs = { [uuid]: 'knots-kmgao3uroy', 5: 'top-10', 6: 'six-6' };

  test.each<[string, Record<string, string>, string]>([
    ['its slug', { 26: 'how-tides-work-26' }, 'articles/how-tides-work-26/'],
    ['a slug that is the id', { about: 'about' }, 'articles/about/'],
    ['a segment next to its slug', slugs, `articles/${uuid}/knots-kmgao3uroy/`],
  ])('may have the id in %s', (_, shown, page) => {
    expect(warningsOf(siteOf(shown), { pages: [page, ''] })).toEqual([]);
  });

  test('is refused otherwise, also with a slug that belongs to another article', () => {
    const pages = ['six-6/', 'articles/knots-kmgao3uroy/', 'top-10/notes/'];
    expect(() => warningsOf(siteOf(slugs), { pages })).toThrow(
      `The page /articles/knots-kmgao3uroy/ shows the article "${uuid}", whose id cannot be read from the slug "knots-kmgao3uroy".`,
    );
    // The id of this article is 5, and not 10.
    expect(() => warningsOf(siteOf(slugs), { pages: ['2025/top-10/'] })).toThrow('article "5"');
    expect(warningsOf(siteOf(slugs, false), { pages }), 'without older articles').toEqual([]);
    const other = ['news', shownSlugs({ 1: 'a-1' })] as const;
    const both = [...siteOf(slugs), other];
    for (const site of [both, both.toReversed()]) {
      expect(() => warningsOf(new Map(site), { pages })).toThrow('cannot be read from the slug');
    }
  });

  const warning = expect.stringContaining('the newest articles of "articles" are built');

  test('is a warning unless pages are rendered on demand', () => {
    const site = siteOf({ 26: 'tides-26' });
    const page = { pages: ['articles/tides-26/'], hasServer: false };
    expect(warningsOf(site, { ...page, pages: ['articles/'] }), 'no page of an article').toEqual(
      [],
    );
    expect(warningsOf(site, { ...page, hasServer: true }), 'a page on demand').toEqual([]);
    const withoutOlder = siteOf({ 26: 'tides-26' }, false);
    expect(warningsOf(withoutOlder, page), 'no older articles').toEqual([]);
    expect(warningsOf(site, page)).toEqual([warning]);
  });

  test('is one warning that names all collections', () => {
    const isNewestOnly = true;
    const both = new Map([
      ['articles', shownSlugs({ 26: 'tides-26' }, { isNewestOnly })],
      ['news', shownSlugs({ 7: 'a-7' }, { isNewestOnly })],
    ]);
    const pages = ['articles/tides-26/', 'news/a-7/'];
    expect(warningsOf(both, { pages, hasServer: false })).toEqual([
      expect.stringContaining('of "articles", "news" are built'),
    ]);
  });

  test.each([
    ['with a parameter', '/all/[page]', {}, []],
    ['without one', '/all', {}, [warning]],
    ['that is built', '/all/[page]', { isPrerendered: true }, [warning]],
    ['of Astro', '/_server-islands/[name]', { origin: 'internal' as const }, [warning]],
    ['that is an endpoint', '/api/[name]', { type: 'endpoint' as const }, [warning]],
  ])('is not a warning next to a page on demand only: a route %s', (_, pattern, more, warnings) => {
    const site = siteOf({ 26: 'tides-26' });
    const lines: string[] = [];
    const logger = {
      warn: (line: string) => lines.push(line),
    } as unknown as AstroIntegrationLogger;
    const pages = [{ pathname: 'articles/tides-26/' }];
    checkOnDemand(site, { dir, pages, routes: [route(pattern, more)], logger });
    expect(lines).toEqual(warnings);
  });
});

describe('the page of an article at a path of the site', () => {
  const slugs = { 7: 'login', 8: 'u-42', 9: 'Imprint', 10: 'de' };

  function check(pathname: string, ...routes: ReturnType<typeof route>[]): void {
    checkPaths(new Map([['articles', shownSlugs(slugs)]]), { pages: [{ pathname }], routes });
  }

  const built = { isPrerendered: true };

  test.each([
    ['a page on demand', 'login/', '7', route('/login')],
    ['an endpoint on demand', 'login', '7', route('/login', { type: 'endpoint' })],
    ['a page below a folder', 'en/login/', '7', route('/en/login')],
    ['a page in each language', 'en/login/', '7', route('/[language]/login')],
    ['a page with a parameter that articles have not', 'u-42/', '8', route('/u-[name]')],
    ['a page in small letters', 'Imprint/', '9', route('/imprint')],
    ['a built page in small letters', 'Imprint/', '9', route('/imprint', built)],
  ])('is refused, with the names of both: %s', (_, pathname, id, taken) => {
    expect(() => check(pathname, route('/[...slug]', built), taken)).toThrow(
      `The page /${pathname} of the article "${id}" has the path of ${taken.entrypoint}.`,
    );
  });

  test('is refused where the path is that of a redirect on demand', () => {
    expect(() => check('login/', route('/login', { type: 'redirect' }))).toThrow(
      'The page /login/ of the article "7" has the path of the redirect "/login" of astro.config.',
    );
  });

  test.each([
    ['a page on demand with a parameter', 'login/', route('/[slug]')],
    ['a page of older articles', 'de/login/', route('/de/[slug]')],
    ['a page of older articles with their ids', 'u-42/', route('/[title]-[id]')],
    ['a built page', 'login/', route('/login', built)],
    ['a built page with a parameter', 'u-42/', route('/u-[name]', built)],
    ['a built redirect', 'login/', route('/login', { ...built, type: 'redirect' })],
    ['another path', 'articles/login/', route('/login')],
    ['a page of no article', 'imprint/', route('/imprint')],
  ])('is accepted next to %s', (_, pathname, other) => {
    expect(() => check(pathname, other)).not.toThrow();
  });
});
