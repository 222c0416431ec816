import type { IntegrationResolvedRoute as Route } from 'astro';

/** Returns whether a redirect would take the path of a route. A prerendered one with parameters has only its pages. */
export function isTaken(route: Route, from: string, to: string): boolean {
  const hasOnlyPages = route.isPrerendered && route.params.length > 0 && route.type !== 'redirect';
  return !hasOnlyPages && ownsPath(route, from, to);
}

/**
 * Returns whether a path belongs to the site, so that neither a page nor a redirect of an article may take it. A route
 * with parameters that has another path of articles, too, belongs to articles: it shows them, or renders older articles.
 *
 * @param siblingPath the path of an article at the same place, with another slug
 */
export function ownsPath(route: Route, path: string, siblingPath: string): boolean {
  if (!matchesPath(route, path)) return false;
  return route.params.length === 0 || !matchesPath(route, siblingPath);
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
