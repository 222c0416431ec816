import type { IntegrationResolvedRoute } from 'astro';
import { escapePattern } from '../../src/http/api-key.ts';

/**
 * Returns a route as Astro resolves it.
 *
 * @param pattern its path, such as `/login` or `/posts/[...slug]`
 */
export function route(
  pattern: string,
  more: Partial<IntegrationResolvedRoute> = {},
): IntegrationResolvedRoute {
  const segments = pattern.split('/').slice(1);
  const params = Array.from(pattern.matchAll(/\[(?:\.\.\.)?(\w+)\]/g), ([, name = '']) => name);
  const source = segments.map((segment) =>
    /^\[\.{3}\w+\]$/.test(segment) ? '(?:\\/(.*?))?' : `\\/${partsOf(segment)}`,
  );
  return {
    ...{ type: 'page', origin: 'project', isPrerendered: false, fallbackRoutes: [], segments: [] },
    ...{ pattern, params, patternRegex: new RegExp(`^${source.join('')}\\/?$`) },
    entrypoint: `src/pages${pattern}.astro`,
    generate: () => pattern,
    ...more,
  };
}

function partsOf(segment: string): string {
  return segment
    .split(/(\[\w+\])/)
    .map((part) => (part.startsWith('[') ? '([^/]+?)' : escapePattern(part)))
    .join('');
}
