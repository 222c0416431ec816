import { siteAt } from '../../content/site-state.ts';

export interface OpenArticle {
  collection: string;
  id: string;
  slug: string;
  /** Where the article is edited in the service, with the option `editUrl`. */
  editUrl?: string | undefined;
}

/** Finds the articles whose slug is a segment of a page's path, which is encoded as in a URL. */
export function openArticles(root: URL, path: string): OpenArticle[] {
  const segments = new Set(path.split('/'));
  const { slugs, editUrls } = siteAt(root);
  return [...slugs].flatMap(([collection, { current }]) =>
    [...current].flatMap(([id, slug]) => {
      if (!segments.has(encodeURI(slug.toWellFormed()))) return [];
      return { collection, id, slug, editUrl: editUrls.get(collection)?.ofArticle(id) };
    }),
  );
}
