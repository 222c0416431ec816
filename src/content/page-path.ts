import { base, build, trailingSlash } from '#astro-config';
import { ArticlesOptionsError } from '../errors.ts';
import { quote } from '../messages.ts';
import { linkToPage } from '../shared/page-values.ts';

/**
 * Returns the path of a page for a link: behind `base`, and with or without a slash at its end, as `trailingSlash` and
 * `build.format` in astro.config decide. What follows `?` or `#` is unchanged.
 *
 * ```astro
 * <a href={pagePath(`articles/${article.data.slug}`)}>{article.data.title}</a>
 * ```
 *
 * @param path the path of the page below `base`, with or without slashes at both ends; the home page is `''`
 * @throws {ArticlesOptionsError} outside of pages, or when the dependencies of the site do not name the package
 */
export function pagePath(path: string): string {
  if (base === undefined || build === undefined || trailingSlash === undefined) {
    const message = `pagePath(${quote(path)}) was called without the settings of astro.config.`;
    throw new ArticlesOptionsError('invalid-options', message, {
      hint: 'Call it in pages, components and endpoints of a site whose package.json has `astro-articles` in `dependencies`.',
    });
  }
  return linkToPage(path, { base, build, trailingSlash });
}
