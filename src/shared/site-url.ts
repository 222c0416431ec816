import { ArticlesOptionsError } from '../errors.ts';

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
