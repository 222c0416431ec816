import type { IntegrationResolvedRoute as Route } from 'astro';

/**
 * Returns whether a path belongs to a route of the site, so that neither a page nor a redirect of an article may take it. A
 * prerendered route with parameters has only its pages. A route with parameters that has another path of articles, too,
 * belongs to articles: it shows them, or renders older articles.
 *
 * @param otherPath the path of another article, or of the same one with another slug
 */
export function ownsPath(route: Route, path: string, otherPath: string): boolean {
  const hasParameters = route.params.length > 0;
  if (hasParameters && route.isPrerendered && route.type !== 'redirect') return false;
  return matchesPath(route, path) && !(hasParameters && matchesPath(route, otherPath));
}

/** Returns whether a route has a path, in capital or small letters, for each value of `trailingSlash`. */
function matchesPath({ patternRegex }: Route, path: string): boolean {
  // Some hosts and file systems have one file for `Login` and `login`.
  const pattern = new RegExp(patternRegex.source, 'i');
  const trimmed = `/${trimSlashes(path)}`;
  return pattern.test(trimmed) || pattern.test(`${trimmed}/`);
}

export function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
