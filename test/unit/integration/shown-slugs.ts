import type { ShownSlugs } from '../../../src/content/site-state.ts';

/** The slugs that a load shows, by id, of a collection with an empty mirror. */
export function shownSlugs(
  current: Record<string, string>,
  more: Partial<ShownSlugs> = {},
): ShownSlugs {
  return {
    current: new Map(Object.entries(current)),
    gone: new Set(),
    isNewestOnly: false,
    isPreview: false,
    paths: new Map(),
    mirror: { writePaths: () => undefined },
    ...more,
  };
}
