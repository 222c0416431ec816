import { addBuild } from '../../../src/redirects/add-build.ts';
import {
  encodeHistory,
  joinHistories,
  type PathHistory,
  withoutCopies,
} from '../../../src/redirects/history.ts';
import { findPages } from '../../../src/redirects/pages.ts';

/** A build of a site, in few words. */
export interface YearBuild {
  /** By article, as `collection/id`, or an id of `articles`: the paths of its pages, whose last segment is its slug. */
  pages: Record<string, string | readonly string[]>;
  /** The paths of other pages. */
  others?: readonly string[];
  /** The articles that respond 404. */
  gone?: readonly string[];
  /** Articles without a page that may have one on demand. */
  onDemand?: readonly string[];
  /** Whether the cache is lost before the build. */
  isLost?: boolean;
  /** Whether ARTICLES_ALLOW_REMOVAL is set. */
  mayRemove?: boolean;
  /** Whether the build shows drafts. */
  isPreview?: boolean;
}

const keyOf = (article: string) => (article.includes('/') ? article : `articles/${article}`);
const collectionOf = (key: string) => key.split('/')[0] ?? '';

/** Builds a site again and again. Returns what the last build redirects, and the texts that each build has published. */
export function liveThrough(builds: readonly YearBuild[]) {
  let mirror: PathHistory = new Map();
  let published: PathHistory = new Map();
  let redirects: Record<string, string> = {};
  const texts = builds.map((build) => {
    const articles = Object.entries(build.pages).map(([article, paths]) => {
      const all = [paths].flat();
      const key = keyOf(article);
      const slug = all[0]?.split('/').at(-1) ?? '';
      return { key, collection: collectionOf(key), slug, paths: all };
    });
    const paths = [...articles.flatMap((each) => each.paths), ...(build.others ?? [])];
    const pages = findPages(paths, articles);
    if (build.isLost) mirror = new Map();
    const joined = joinHistories(published, mirror);
    const loaded = new Set(articles.map(({ collection }) => collection));
    const gone = new Set(build.gone?.map(keyOf));
    const onDemand = new Set(build.onDemand?.map(keyOf));
    const next = addBuild(
      {
        published,
        known: build.mayRemove ? withoutCopies(joined) : joined,
        isRemoved: (key) =>
          gone.has(key) || (build.mayRemove === true && !loaded.has(collectionOf(key))),
      },
      {
        pages,
        isPage: (path) => paths.includes(path),
        isOnDemand: (key) => onDemand.has(key),
      },
      build.isPreview ? new Map() : pages,
    );
    mirror = joinHistories(build.mayRemove ? withoutCopies(mirror) : mirror, next.all);
    published = next.published;
    redirects = Object.fromEntries(next.redirects.map(({ from, to }) => [from, to]));
    return encodeHistory(published);
  });
  return { redirects, texts };
}
