import { siteAt } from '../../content/site-state.ts';

/** An article that a page shows. */
export interface OpenArticle {
  collection: string;
  id: string;
  slug: string;
}

/** Finds the articles whose slug is a segment of a page's path. */
export function openArticles(root: URL, path: string): OpenArticle[] {
  const segments = new Set(path.split('/').map(decode));
  return [...siteAt(root).slugs].flatMap(([collection, { current }]) =>
    [...current].flatMap(([id, slug]) => (segments.has(slug) ? { collection, id, slug } : [])),
  );
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
