import { ArticlesOptionsError } from '../errors.ts';

/** The address of the site, which whatever is read away from it has to name. */
export function siteFor(asker: string, site: URL | string | undefined): URL {
  if (site) return new URL(site);
  throw new ArticlesOptionsError('site-missing', `${asker} needs the address of the site.`, {
    hint: "Set `site` in astro.config: `site: 'https://www.example.com'`.",
  });
}
