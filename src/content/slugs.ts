import { quote } from '../errors.ts';
import { slugOf } from '../render/slug.ts';
import type { Notice } from '../shared/notice.ts';

/** An article that gets a slug. */
export interface SluggedArticle {
  id: string;
  title: string;
  /** The slug that the service gives it, if it can be a segment of a path. */
  ownSlug?: string | undefined;
  /** The slug of its page until now. */
  lastSlug?: string | undefined;
}

/**
 * Assigns each article its slug, which no other article has: that of the service, or one derived from title and id. If
 * the service gives one slug to several articles, the one that has its page already keeps it, or else the first one.
 *
 * @param articles in the order of the listing
 * @param notices collects the slugs of the service that several articles have
 */
export async function assignSlugs(
  articles: readonly SluggedArticle[],
  notices: Notice[],
): Promise<Map<string, string>> {
  const slugs = new Map<string, string>();
  const owners = new Map<string, string>();
  const give = (id: string, slug: string) => {
    slugs.set(id, slug);
    owners.set(pathKey(slug), id);
  };
  for (const article of articles) {
    if (article.ownSlug === undefined) give(article.id, await slugOf(article));
  }
  const withOwn = articles.filter(({ ownSlug }) => ownSlug !== undefined);
  const isKept = ({ ownSlug, lastSlug }: SluggedArticle) => (ownSlug === lastSlug ? 0 : 1);
  const others: SluggedArticle[] = [];
  for (const article of withOwn.toSorted((a, b) => isKept(a) - isKept(b))) {
    const { id, ownSlug = '' } = article;
    if (owners.has(pathKey(ownSlug))) others.push(article);
    else give(id, ownSlug);
  }
  for (const article of others) {
    const { id, ownSlug = '' } = article;
    const owner = owners.get(pathKey(ownSlug)) ?? id;
    let slug = await slugOf(article);
    // Another article may have the derived slug as its own. An id with a blank at its end is in a slug as another hash.
    for (let end = ' '; owners.has(pathKey(slug)); end += ' ')
      slug = await slugOf({ ...article, id: id + end });
    give(id, slug);
    const text =
      `The articles ${quote(owner)} and ${quote(id)} both have the slug ${quote(ownSlug)}, so the page of ` +
      `${quote(id)} has the slug ${quote(slug)}. Give one of them another slug in the service.`;
    notices.push({ kind: 'other', ids: [owner, id], text });
  }
  return slugs;
}

/** Returns a key that is equal for paths that some hosts and file systems do not distinguish. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
