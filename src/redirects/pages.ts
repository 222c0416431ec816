import { isSlug } from '../shared/slug.ts';

/** A page of an article. */
export interface Page {
  /** The number of the segment that is the slug, a space, and the path, such as `1 posts/how-tides-work`. */
  name: string;
  path: string;
  slug: string;
  /** The path with `*` for the slug. Pages at one place differ in that segment only. */
  place: string;
}

/** Returns the page with a name. */
export function pageOf(name: string): Page {
  const space = name.indexOf(' ');
  const path = name.slice(space + 1);
  const segments = path.split('/');
  const index = Number(name.slice(0, space));
  const place = segments.map((segment, at) => (at === index ? '*' : segment)).join('/');
  return { name, path, slug: segments[index] ?? '', place };
}

/** Matches a segment that neither leads out of the site, nor is a pattern in the rules of a host. */
const plainSegment = /^(?!\.{1,2}$)[^\\?#*:\p{Cc}\p{Cs}]+$/u;

/** Returns whether a text is the name of a page whose path a redirect may have. */
export function isPageName(name: string): boolean {
  const { path, slug } = pageOf(name);
  const isPlain = path.split('/').every((segment) => plainSegment.test(segment));
  return isPlain && isSlug(slug) && /^\d{1,2} /.test(name);
}

/** An article that a build shows. */
export interface ShownArticle {
  /** The key of its line in the history. */
  key: string;
  collection: string;
  slug: string;
}

/**
 * Finds the pages of articles: a segment of the path is the slug of an article, and more than half of the pages at that
 * place are such. So `tags/sea` does not belong to an article with the slug `sea`. Of several such segments of a path, the
 * one at whose place are more pages of articles is the slug, then the last one.
 *
 * @param paths the paths of pages that articles may have
 * @returns the pages of each article that has one, by its key
 */
export function findPages(
  paths: readonly string[],
  articles: readonly ShownArticle[],
): Map<string, Page[]> {
  const bySlug = Map.groupBy(articles, ({ slug }) => slug);
  const all = paths.map((path) => path.split('/').map((_, index) => pageOf(`${index} ${path}`)));
  const named = all.map((ofPath) => ofPath.filter(({ slug }) => bySlug.has(slug)));
  const total = countBy(all.flat(), ({ place }) => place);
  const count = countBy(named.flat(), ({ place }) => place);
  const candidates = named.flatMap((ofPath) => {
    const likely = ofPath.filter(({ place }) => count(place) * 2 > total(place));
    const page = likely.sort((a, b) => count(a.place) - count(b.place)).at(-1);
    return page ? (bySlug.get(page.slug) ?? []).map((owner): Candidate => ({ page, owner })) : [];
  });
  const byArticle = Map.groupBy(likeliestOwners(candidates), ({ owner }) => owner.key);
  return new Map([...byArticle].map(([key, own]) => [key, own.map(({ page }) => page)]));
}

/** An article that a page may have. */
interface Candidate {
  page: Page;
  owner: ShownArticle;
}

/**
 * Returns the articles of pages: of several collections that have the slug of a page, the one with the larger share of the
 * place, then the one whose home it is, the shortest place with the name of the collection, else each.
 */
function likeliestOwners(candidates: readonly Candidate[]): Candidate[] {
  const share = countBy(candidates, ({ page, owner }) => `${page.place} ${owner.collection}`);
  const depthOf = ({ page }: Candidate) => page.path.split('/').length;
  const named = candidates.filter(({ page, owner }) =>
    page.path.split('/').includes(owner.collection),
  );
  const deepestFirst = named.reverse().sort((a, b) => depthOf(b) - depthOf(a));
  const homes = new Map(deepestFirst.map(({ page, owner }) => [owner.collection, page.place]));
  const rank = ({ page: { place }, owner: { collection } }: Candidate) =>
    share(`${place} ${collection}`) + (homes.get(collection) === place ? 0.5 : 0);
  const byPage = Map.groupBy(candidates, ({ page }) => page);
  return [...byPage.values()].flatMap((all) => {
    const highest = Math.max(...all.map(rank));
    return all.filter((each) => rank(each) === highest);
  });
}

/** Counts values by a key. */
function countBy<T>(values: readonly T[], keyOf: (value: T) => string): (key: string) => number {
  const groups = Map.groupBy(values, keyOf);
  return (key) => groups.get(key)?.length ?? 0;
}
