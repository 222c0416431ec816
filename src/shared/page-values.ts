import { ArticlesOptionsError } from '../errors.ts';
import { quote } from '../messages.ts';
import { timeOf } from './dates.ts';

/** A date of an article, as a site's schema may have it. */
export type GivenDate = Date | string | null | undefined;

/**
 * Returns the date that a site passes to a component or function.
 *
 * @param where the component or function, and its property, for the message
 * @throws {ArticlesOptionsError} `invalid-options` for a text that is not a date
 */
export function readDate(given: GivenDate, where: string): Date | undefined {
  if (given === null || given === undefined || given === '') return undefined;
  const date = new Date(timeOf(given)?.date ?? given);
  if (!Number.isNaN(date.getTime())) return date;
  const message = `${where} received an invalid date: ${quote(String(given))}.`;
  throw new ArticlesOptionsError('invalid-options', message, {
    hint: 'Pass a Date, or text such as "2026-03-02T12:00:00Z". `z.coerce.date()` in the schema of the collection checks it.',
  });
}

/**
 * Returns the URL of the site, for content that is read outside the site.
 *
 * @param user the component or function that needs it, for the message
 * @throws {ArticlesOptionsError} `site-missing`
 */
export function requireSite(user: string, site: URL | string | undefined): URL {
  if (site) return new URL(site);
  throw new ArticlesOptionsError('site-missing', `${user} needs \`site\` in astro.config.`, {
    hint: "Add the site's URL: `site: 'https://www.example.com'`.",
  });
}

/** The settings of astro.config that decide the URLs of pages, as `astro:config/client` has them. */
export interface PageSettings {
  trailingSlash: 'always' | 'never' | 'ignore';
  build: { format: 'directory' | 'file' | 'preserve' };
}

/**
 * Returns the URL of a page of the site as `@astrojs/sitemap` writes it: without the name of a file, and with or without
 * a slash at the end, as astro.config decides. A URL of another site is unchanged.
 *
 * @param page its path with `base`, or its URL, in any of the forms that the site uses
 */
export function pageUrl(page: string | URL, site: URL, settings: PageSettings): URL {
  const url = new URL(page, site);
  if (url.origin !== site.origin) return url;
  url.pathname = pagePathOf(url.pathname, settings);
  return url;
}

/** Returns the path of a page, with `base`, in the form of `pageUrl()`. */
function pagePathOf(path: string, { trailingSlash, build }: PageSettings): string {
  const isFolder = build.format === 'directory';
  // While Astro builds pages of the other formats, their paths end with the names of files.
  const page = isFolder ? path : path.replace(/(?:\/index)?\.html$/, '');
  const hasSlash = trailingSlash === 'always' || (trailingSlash === 'ignore' && isFolder);
  return page.replace(/(?<!\/)\/*$/, hasSlash ? '/' : '') || '/';
}

/** Returns the path of a page below `base`, in the form of `pageUrl()`. What follows `?` or `#` is unchanged. */
export function linkToPage(path: string, { base, ...settings }: PageSettings & { base: string }) {
  const [, page = '', rest = ''] = /([^?#]*)(.*)/s.exec(path) ?? [];
  const below = `${base}/${page}`.replace(/\/{2,}/g, '/');
  return pagePathOf(below, settings) + rest;
}
