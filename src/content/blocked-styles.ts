import type { AstroConfig } from 'astro';
import type { Notice } from '../errors.ts';
import type { Version } from '../load/article-version.ts';
import { joinSome, quote } from '../messages.ts';

/**
 * Warns of articles whose inline styles the Content Security Policy of the site blocks in built pages. Astro's policy has
 * hashes of the styles that Astro bundles, and no attribute has one.
 */
export function blockedStyles(
  { security }: Pick<AstroConfig, 'security'>,
  versions: Iterable<Version>,
): Notice[] {
  if (!blocksInlineStyles(security?.csp)) return [];
  const ids = [...versions].flatMap((version) => {
    const [rendering] = 'leftOut' in version ? [] : version.article.renderings;
    return rendering?.hasStyles ? version.article.id : [];
  });
  if (ids.length === 0) return [];
  const articles = ids.length === 1 ? 'article' : 'articles';
  const text =
    `\`security.csp\` blocks inline styles, so colours of code and styles of authors are lost (${articles} ` +
    `${joinSome(ids.map(quote))}). With Astro 7.1 or newer, allow them in attributes: \`csp: { styleDirective: { resources: ` +
    `[{ resource: "'unsafe-inline'", kind: 'attribute' }] } }\`. The lists of \`sanitize\` limit what they can do.`;
  return [{ kind: 'other', ids, text }];
}

/** Returns whether a policy allows no inline style, and has no source of its own for attributes. */
function blocksInlineStyles(csp: AstroConfig['security']['csp']): boolean {
  if (typeof csp !== 'object') return csp === true;
  const { resources = [], hashes = [] } = csp.styleDirective ?? {};
  const isOfAttributes = (entry: object | string) =>
    typeof entry === 'object' && 'kind' in entry && entry.kind === 'attribute';
  return !resources.includes("'unsafe-inline'") && ![...resources, ...hashes].some(isOfAttributes);
}
