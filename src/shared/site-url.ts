import { ArticlesOptionsError } from '../errors.ts';

/**
 * Returns the address of the site, for content that is read outside the site.
 *
 * @param user the component or function that needs it, for the message
 * @throws {ArticlesOptionsError} `site-missing`
 */
export function requireSite(user: string, site: URL | string | undefined): URL {
  if (site) return new URL(site);
  throw new ArticlesOptionsError('site-missing', `${user} needs the address of the site.`, {
    hint: "Set `site` in astro.config: `site: 'https://www.example.com'`.",
  });
}
