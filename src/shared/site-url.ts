import { ArticlesOptionsError } from '../errors.ts';

/** Returns the address of the site, which everything read outside the site needs. */
export function siteFor(user: string, site: URL | string | undefined): URL {
  if (site) return new URL(site);
  throw new ArticlesOptionsError('site-missing', `${user} needs the address of the site.`, {
    hint: "Set `site` in astro.config: `site: 'https://www.example.com'`.",
  });
}
